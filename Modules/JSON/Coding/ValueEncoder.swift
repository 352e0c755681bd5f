import CurlewSerialization
import FoundationEssentials

/// Encodes into one node; the chain of its parents is the coding path.
final class ValueEncoder: Encoder, CodingPathNode {
  let node: EncodingNode
  let settings: EncodingSettings
  let key: PathKey?
  let parent: ValueEncoder?
  private let depth: Int

  init(settings: EncodingSettings) {
    self.settings = settings
    node = EncodingNode()
    key = nil
    parent = nil
    depth = 0
  }

  private init(_ node: EncodingNode, key: PathKey?, parent: ValueEncoder) {
    self.node = node
    self.key = key
    self.parent = parent
    settings = parent.settings
    depth = parent.depth + 1
  }

  /// Returns the encoder of a value inside this encoder's value.
  func child(_ value: Any, _ key: PathKey?) throws -> ValueEncoder {
    guard depth < JSONValueEncoder.maximumDepth else {
      throw invalid(value, "The value is nested deeper than \(JSONValueEncoder.maximumDepth) containers.", key)
    }
    return ValueEncoder(EncodingNode(), key: key, parent: self)
  }

  /// Returns the encoder of a nested container.
  ///
  /// Its depth is checked when the node's value is taken.
  func nested(_ key: PathKey, _ node: EncodingNode = EncodingNode()) -> ValueEncoder {
    ValueEncoder(node, key: key, parent: self)
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

  /// Returns the member name of a key under the key strategy.
  func name(of key: any CodingKey) -> String {
    switch settings.keys {
    case .convertToSnakeCase: SnakeCase.snakeCase(key.stringValue)
    case .custom(let convert): convert(codingPath + [key]).stringValue
    default: key.stringValue
    }
  }
}
