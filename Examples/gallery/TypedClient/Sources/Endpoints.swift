import Curlew

struct Bird: Codable, Hashable, Sendable {
  var id: Int
  var name: String
}

struct GetBird: Endpoint {
  typealias Output = Bird
  var id: Int
  var path: String { "birds/\(id)" }
}

struct ListBirds: Endpoint {
  typealias Output = [Bird]
  var place: String
  var path: String { "birds" }
  var parameters: Parameters? { ["place": .string(place)] }
}

struct AddBird: Endpoint {
  typealias Output = Bird
  var bird: Bird
  var method: HTTPRequest.Method { .post }
  var path: String { "birds" }
  var content: RequestContent { .json(bird) }
}

struct RemoveBird: Endpoint {
  typealias Output = Void
  var id: Int
  var method: HTTPRequest.Method { .delete }
  var path: String { "birds/\(id)" }
}
