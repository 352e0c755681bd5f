import FoundationEssentials

/// Encodes into one node; the chain of its parents is the coding path.
final class ValueEncoder: Encoder {
  let node = EncodingNode()
  let settings: EncodingSettings
  private let key: PathKey?
  private let parent: ValueEncoder?
  private let depth: Int

  init(settings: EncodingSettings) {
    self.settings = settings
    key = nil
    parent = nil
    depth = 0
  }

  private init(key: PathKey?, parent: ValueEncoder) {
    self.key = key
    self.parent = parent
    settings = parent.settings
    depth = parent.depth + 1
  }

  /// The encoder of a value within this one's.
  func child(_ value: Any, _ key: PathKey?) throws -> ValueEncoder {
    guard depth < JSONValueEncoder.maximumDepth else {
      throw invalid(value, "The value is nested deeper than \(JSONValueEncoder.maximumDepth) containers.", key)
    }
    return ValueEncoder(key: key, parent: self)
  }

  /// The encoder of a container that the caller fills by hand, as deep as the caller likes.
  func nested(_ key: PathKey) -> ValueEncoder {
    ValueEncoder(key: key, parent: self)
  }

  var codingPath: [any CodingKey] {
    var path: [any CodingKey] = []
    var next: ValueEncoder? = self
    while let encoder = next {
      if let key = encoder.key { path.append(key.codingKey) }
      next = encoder.parent
    }
    return path.reversed()
  }

  var userInfo: [CodingUserInfoKey: Any] { settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.beginObject()
    return KeyedEncodingContainer(EncodingKeyedContainer<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.beginArray()
    return EncodingUnkeyedContainer(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    EncodingSingleContainer(encoder: self)
  }

  func invalid(_ value: Any, _ message: String, _ key: PathKey?) -> EncodingError {
    let path = codingPath + (key.map { [$0.codingKey] } ?? [])
    return .invalidValue(value, .init(codingPath: path, debugDescription: message))
  }

  /// The member name of a key under the strategy for keys.
  func name(of key: any CodingKey) -> String {
    switch settings.keys {
    case .convertToSnakeCase: SnakeCase.snakeCase(key.stringValue)
    case .custom(let convert): convert(codingPath + [key]).stringValue
    default: key.stringValue
    }
  }
}
