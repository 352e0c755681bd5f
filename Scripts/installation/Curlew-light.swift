// The umbrella without traits.
import Curlew

struct Bird: Codable, Sendable { var name: String }

let session = try HTTPSession(baseURL: CommandLine.arguments[1])
let bird: Bird = try await session.get("bird.json")
print("ok:", bird.name)
