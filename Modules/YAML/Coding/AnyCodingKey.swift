/// A coding key of any name, or of an element's place.
struct AnyCodingKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ name: String) {
    stringValue = name
    intValue = nil
  }

  init(_ index: Int) {
    stringValue = "Index \(index)"
    intValue = index
  }

  init?(stringValue: String) { self.init(stringValue) }

  init?(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }

  static let `super` = AnyCodingKey("super")
}

/// A step of a coding path, turned into a `CodingKey` only when somebody asks.
enum PathKey {
  case key(any CodingKey)
  case index(Int)

  var codingKey: any CodingKey {
    switch self {
    case .key(let key): key
    case .index(let index): AnyCodingKey(index)
    }
  }
}
