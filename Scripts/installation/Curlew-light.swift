// The umbrella without traits. README shows this program, without this line.
import Curlew

struct Bird: Codable, Sendable { var name: String }

do {
  let session = try HTTPSession(baseURL: CommandLine.arguments[1])
  let bird: Bird = try await session.get("bird.json")
  print("ok:", bird.name)
} catch {
  print(error)
}
