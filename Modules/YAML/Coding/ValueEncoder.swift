import CurlewCore
import CurlewSerialization
public import FoundationEssentials

/// Encodes into one node; the chain of its parents is the coding path.
final class ValueEncoder: Encoder, CodingPathNode {
  let node: EncodingNode
  let settings: YAMLValueEncoder
  let key: PathKey?
  let parent: ValueEncoder?
  private let depth: Int

  init(encoder: YAMLValueEncoder) {
    settings = encoder
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

  /// Returns the encoder of a nested container.
  ///
  /// Its depth is checked when the node's value is taken.
  func nested(_ key: PathKey?, _ node: EncodingNode = EncodingNode()) -> ValueEncoder {
    ValueEncoder(node, key: key, parent: self)
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

  /// Encodes a value of any type.
  ///
  /// Types that YAML represents specially do not encode themselves.
  func box<Value: Encodable>(_ value: Value, _ key: PathKey?) throws -> EncodingNode {
    if let known = try boxKnown(value, key) { return EncodingNode(.value(known)) }
    guard depth < YAMLValueEncoder.maximumDepth else {
      throw invalid(value, "The value is nested deeper than \(YAMLValueEncoder.maximumDepth) collections.", key)
    }
    let encoder = nested(key)
    try value.encode(to: encoder)
    return encoder.node
  }

  private func boxKnown<Value: Encodable>(_ value: Value, _ key: PathKey?) throws -> YAMLValue? {
    switch value {
    case let value as YAMLValue: return value
    case let value as String: return .string(value)
    case let value as Bool: return .bool(value)
    case let value as Double: return .float(YAMLFloat(value))
    case let value as Float: return .float(YAMLFloat(value))
    case let value as Decimal: return decimal(value)
    case let value as URL: return .string(value.absoluteString)
    case let value as Date: return try date(value, key)
    case let value as Data:
      return YAMLTagged(CoreTag.binary, .string(value.base64EncodedString())).map(YAMLValue.tagged)
    case let value as any FixedWidthInteger: return .int(YAMLInteger(value))
    default: return nil
    }
  }

  /// Returns an integer if the decimal is whole, otherwise a float.
  ///
  /// Most whole decimals are meant to be integers.
  private func decimal(_ value: Decimal) -> YAMLValue {
    if let integer = YAMLInteger(text: value.description) { return .int(integer) }
    return .float(YAMLFloat(text: value.description) ?? .nan)
  }

  private func date(_ date: Date, _ key: PathKey?) throws -> YAMLValue {
    switch settings.dateStrategy {
    case .iso8601:
      guard let text = InternetDate.text(date) else {
        // The error contains a number, because Foundation traps when it prints a date that is so far away.
        throw invalid(
          date.timeIntervalSince1970, "ISO 8601 can only express dates of the years 1 to 9999.", key)
      }
      return .string(text)
    case .secondsSince1970: return .float(YAMLFloat(date.timeIntervalSince1970))
    }
  }
}

/// Encodes `Encodable` types to YAML values and YAML text.
///
/// Keys keep the order in which a type encodes them. Infinities and NaN are ordinary floats, and `Data` is base64 with
/// the tag `!!binary`. ``YAMLValue``, ``YAMLMapping``, ``YAMLInteger`` and ``YAMLFloat`` can be parts of an encoded
/// type and are encoded without loss.
public struct YAMLValueEncoder: Sendable {
  /// The deepest nesting of an encoded type.
  ///
  /// Beyond it `EncodingError.invalidValue` is thrown.
  public static let maximumDepth = 512

  /// How `Date` is encoded; as ISO 8601 by default.
  public var dateStrategy = YAMLDateStrategy.iso8601
  /// Values that encoded types find in `Encoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Creates an encoder.
  public init() {}

  /// Encodes a value as a YAML value.
  ///
  /// - Throws: `EncodingError` for a type that encodes nothing and for nesting deeper than ``maximumDepth``; also
  ///   whatever the type itself throws.
  public func encode(_ value: some Encodable) throws -> YAMLValue {
    let encoder = ValueEncoder(encoder: self)
    let node = try encoder.box(value, nil)
    if case .none = node.content {
      throw encoder.invalid(value, "The type encoded no value; its encode(to:) must encode one.", nil)
    }
    do {
      return try node.value()
    } catch {
      throw encoder.invalid(value, "The value is nested deeper than \(Self.maximumDepth) collections.", nil)
    }
  }

  /// Encodes a value as YAML text; throws as ``encode(_:)`` does.
  public func data(_ value: some Encodable, as format: YAMLFormat = .block) throws -> Data {
    try encode(value).data(format)
  }
}
