import CurlewJSON
import Foundation

extension ParseWork {
  /// Parses a dynamic value and, for a known document, a typed value.
  static func json(_ data: Data, peer: ParsePeer?) -> [ParseWork] {
    let value =
      peer == .foundationJSON
      ? ParseWork(name: "value") { _ = try JSONSerialization.jsonObject(with: $0) }
      : ParseWork(name: "value") { _ = try JSONValue(parsing: $0) }
    let candidates = [
      typed(Tweets.self, peer), typed(Seating.self, peer), typed(Coastline.self, peer),
    ]
    return [value] + candidates.filter { (try? $0.parse(data)) != nil }.prefix(1)
  }

  private static func typed<Value: Decodable & SendableMetatype>(_ type: Value.Type, _ peer: ParsePeer?) -> ParseWork {
    peer == .foundationJSON
      ? ParseWork(name: "typed") { _ = try JSONDecoder().decode(type, from: $0) }
      : ParseWork(name: "typed") { _ = try JSONValueDecoder().decode(type, from: $0) }
  }
}

/// The typed value of twitter.json: many members and much text.
private struct Tweets: Decodable {
  var statuses: [Status]

  struct Status: Decodable {
    var id: Int64
    var text: String
    var created: String
    var retweets: Int
    var favorited: Bool
    var user: User

    enum CodingKeys: String, CodingKey {
      case id, text, favorited, user
      case created = "created_at"
      case retweets = "retweet_count"
    }
  }

  struct User: Decodable {
    var id: Int64
    var name: String
    var screenName: String
    var description: String
    var followers: Int
    var verified: Bool

    enum CodingKeys: String, CodingKey {
      case id, name, description, verified
      case screenName = "screen_name"
      case followers = "followers_count"
    }
  }
}

/// The typed value of citm_catalog.json: many small objects.
private struct Seating: Decodable {
  var areaNames: [String: String]
  var events: [String: Event]
  var performances: [Performance]

  struct Event: Decodable {
    var id: Int
    var name: String
    var topicIds: [Int]
  }

  struct Performance: Decodable {
    var id: Int
    var eventId: Int
    var start: Int64
    var prices: [Price]
    var seatCategories: [Category]
  }

  struct Price: Decodable {
    var amount: Int
    var seatCategoryId: Int64
  }

  struct Category: Decodable {
    var seatCategoryId: Int64
    var areas: [Area]
  }

  struct Area: Decodable {
    var areaId: Int64
    var blockIds: [Int]
  }
}

/// The typed value of canada.json: numbers.
private struct Coastline: Decodable {
  var type: String
  var features: [Feature]

  struct Feature: Decodable {
    var type: String
    var geometry: Geometry
  }

  struct Geometry: Decodable {
    var type: String
    var coordinates: [[[Double]]]
  }
}
