import CurlewCore
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

extension ValueEncoder {
  /// Encodes a value of any type.
  ///
  /// Types that JSON represents specially do not encode themselves.
  func box<Value: Encodable>(_ value: Value, _ key: PathKey?) throws -> EncodingNode {
    if let known = try boxKnown(value, key) { return EncodingNode(.value(known)) }
    switch value {
    case let date as Date: return try box(date, key)
    case let data as Data: return try box(data, key)
    case let dictionary as any EncodableStringDictionary:
      let encoder = try child(value, key)
      try dictionary.encodeMembers(to: encoder)
      return encoder.node
    default:
      let encoder = try child(value, key)
      try value.encode(to: encoder)
      return encoder.node
    }
  }

  private func boxKnown<Value: Encodable>(_ value: Value, _ key: PathKey?) throws -> JSONValue? {
    switch value {
    case let value as JSONValue: value
    case let value as String: .string(value)
    case let value as Bool: .bool(value)
    case let value as Double: try box(value, JSONNumber(value), key)
    case let value as Float: try box(value, JSONNumber(value), key)
    case let value as Decimal: try number(JSONNumber(value), value, key)
    case let value as URL: .string(value.absoluteString)
    case let value as any FixedWidthInteger: .number(JSONNumber(value))
    default: nil
    }
  }

  private func number(_ number: JSONNumber?, _ value: Any, _ key: PathKey?) throws -> JSONValue {
    guard let number else { throw invalid(value, "JSON cannot represent \(value); a number must be finite.", key) }
    return .number(number)
  }

  private func box<Value: BinaryFloatingPoint>(
    _ value: Value, _ finite: JSONNumber?, _ key: PathKey?
  ) throws -> JSONValue {
    if finite == nil, case .convertToString(let positive, let negative, let nan) = settings.floats {
      return .string(value.isNaN ? nan : value < 0 ? negative : positive)
    }
    return try number(finite, value, key)
  }

  private func box(_ date: Date, _ key: PathKey?) throws -> EncodingNode {
    switch settings.dates {
    case .deferredToDate: return try box(date.timeIntervalSinceReferenceDate, key)
    case .secondsSince1970: return try box(date.timeIntervalSince1970, key)
    case .millisecondsSince1970: return try box(date.timeIntervalSince1970 * 1000, key)
    case .iso8601:
      guard let text = InternetDate.text(date) else {
        // The error contains a number, because Foundation traps when it prints a date that is so far away.
        throw invalid(
          date.timeIntervalSince1970, "ISO 8601 can only express dates of the years 1 to 9999.", key)
      }
      return EncodingNode(.value(.string(text)))
    case .custom(let encode):
      let encoder = try child(date, key)
      try encode(date, encoder)
      return encoder.node
    @unknown default: throw invalid(date, "The strategy for dates is not supported.", key)
    }
  }

  private func box(_ data: Data, _ key: PathKey?) throws -> EncodingNode {
    switch settings.data {
    case .base64: return EncodingNode(.value(.string(data.base64EncodedString())))
    case .deferredToData:
      let encoder = try child(data, key)
      try data.encode(to: encoder)
      return encoder.node
    case .custom(let encode):
      let encoder = try child(data, key)
      try encode(data, encoder)
      return encoder.node
    @unknown default: throw invalid(data, "The strategy for data is not supported.", key)
    }
  }
}

/// A dictionary with string keys.
///
/// Its keys are data, so the key strategy does not apply to them.
private protocol EncodableStringDictionary {
  func encodeMembers(to encoder: ValueEncoder) throws
}

extension Dictionary: EncodableStringDictionary where Key == String, Value: Encodable {
  fileprivate func encodeMembers(to encoder: ValueEncoder) throws {
    encoder.node.beginObject()
    for (name, value) in self {
      encoder.node.append(name, try encoder.box(value, .key(AnyCodingKey(name))))
    }
  }
}
