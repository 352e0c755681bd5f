import CurlewSerialization
import FoundationEssentials

/// Encodes into one node; the chain of its parents is the coding path.
final class ValueEncoder: Encoder, CodingPathNode {
  let node = EncodingNode()
  let settings: YAMLValueEncoder
  let key: PathKey?
  let parent: ValueEncoder?
  private let depth: Int

  init(encoder: YAMLValueEncoder) {
    settings = encoder
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

  /// The encoder of a container that the caller fills by hand, as deep as the caller likes.
  func nested(_ key: PathKey?) -> ValueEncoder {
    ValueEncoder(key: key, parent: self)
  }

  var userInfo: [CodingUserInfoKey: Any] { settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.beginMapping()
    return KeyedEncodingContainer(EncodingKeyedContainer<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.beginSequence()
    return EncodingUnkeyedContainer(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    EncodingSingleContainer(encoder: self)
  }

  /// Encodes any value; types with a meaning of their own in YAML do not encode themselves.
  func box<Value: Encodable>(_ value: Value, _ key: PathKey?) throws -> EncodingNode {
    if let known = boxKnown(value) { return EncodingNode(.value(known)) }
    guard depth < YAMLValueEncoder.maximumDepth else {
      throw invalid(value, "The value is nested deeper than \(YAMLValueEncoder.maximumDepth) collections.", key)
    }
    let encoder = nested(key)
    try value.encode(to: encoder)
    return encoder.node
  }

  private func boxKnown<Value: Encodable>(_ value: Value) -> YAMLValue? {
    switch value {
    case let value as YAMLValue: return value
    case let value as String: return .string(value)
    case let value as Bool: return .bool(value)
    case let value as Double: return .float(YAMLFloat(value))
    case let value as Float: return .float(YAMLFloat(value))
    case let value as Decimal: return decimal(value)
    case let value as URL: return .string(value.absoluteString)
    case let value as Date: return date(value)
    case let value as Data:
      return YAMLTagged(CoreTag.binary, .string(value.base64EncodedString())).map(YAMLValue.tagged)
    case let value as any FixedWidthInteger: return .int(YAMLInteger(value))
    default: return nil
    }
  }

  /// An integer where it is whole, as most decimals that are meant to be one look.
  private func decimal(_ value: Decimal) -> YAMLValue {
    if let integer = YAMLInteger(text: value.description) { return .int(integer) }
    return .float(YAMLFloat(text: value.description) ?? .nan)
  }

  private func date(_ date: Date) -> YAMLValue {
    switch settings.dateStrategy {
    case .iso8601: .string(date.formatted(.iso8601))
    case .secondsSince1970: .float(YAMLFloat(date.timeIntervalSince1970))
    }
  }
}
