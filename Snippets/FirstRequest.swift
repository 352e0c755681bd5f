// README's example: values, a file and events of an API, with the umbrella's defaults.

import Curlew

struct Bird: Codable { var id: Int, name: String }

let session = try HTTPSession(baseURL: "https://api.example.com/v1/")
let bird: Bird = try await session.get("birds/7")
let made: Bird = try await session.post("birds", .json(Bird(id: 8, name: "Heron")))
for try await progress in session.download("atlas.zip", to: "atlas.zip") { print(progress.completed) }
for try await event in session.serverSentEvents("stream") { print(event.type, event.data) }
let feed = try await session.get("feed.xml", .xml)
let config = try await session.get("config.yaml", .yaml([String: String].self))
