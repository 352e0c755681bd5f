// A session from three parts.
import CurlewCurlTransport
import CurlewJSON
import CurlewSession

struct Bird: Codable, Sendable { var name: String }

var configuration = SessionConfiguration(.made { try CurlTransport() })
configuration.coding = .json
configuration.baseURL = try BaseURL(CommandLine.arguments[1])
let bird: Bird = try await HTTPSession(configuration).get("bird.json")
print("ok:", bird.name)
