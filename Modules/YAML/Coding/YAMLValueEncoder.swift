import CurlewSerialization
public import FoundationEssentials

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
