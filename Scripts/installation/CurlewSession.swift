// A session from three parts.
import CurlewCurlTransport
import CurlewJSON
import CurlewSession

struct Bird: Codable, Sendable { var name: String }

var configuration = SessionConfiguration(.made { try CurlTransport() })
configuration.coding = .json
let bird: Bird = try await HTTPSession(configuration).get(CommandLine.arguments[1] + "bird.json")
print("ok:", bird.name)
