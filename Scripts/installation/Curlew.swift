// The umbrella: values, XML and YAML.
import Curlew

struct Bird: Codable, Sendable { var name: String }

let session = try HTTPSession(baseURL: CommandLine.arguments[1])
let bird: Bird = try await session.get("bird.json")
let feed = try await session.get("bird.xml", .xml)
let config = try await session.get("bird.yaml", .yaml(Bird.self))
print("ok:", bird.name, config.name, feed.root.name)
