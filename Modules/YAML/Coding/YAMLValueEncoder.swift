import CurlewSerialization
public import FoundationEssentials

/// Encodes `Encodable` types to YAML values and YAML text.
///
/// Keys keep the order in which a type encodes them. Infinities and NaN are floats as others, `Data` is base64 with the
/// tag `!!binary`. ``YAMLValue``, ``YAMLMapping``, ``YAMLInteger`` and ``YAMLFloat`` can be parts of an encoded type and
/// arrive without loss.
public struct YAMLValueEncoder: Sendable {
  /// How many collections deep a type is encoded; beyond it `EncodingError.invalidValue` is thrown.
  public static let maximumDepth = 512

  /// How `Date` is written; as ISO 8601 unless set.
  public var dateStrategy = YAMLDateStrategy.iso8601
  /// Values that types find in `Encoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Makes an encoder.
  public init() {}

  /// Makes a YAML value of any encodable one.
  ///
  /// - Throws: `EncodingError` for a type that encodes nothing or is nested too deep, and what the type itself throws.
  public func encode(_ value: some Encodable) throws -> YAMLValue {
    let encoder = ValueEncoder(encoder: self)
    let node = try encoder.box(value, nil)
    if case .none = node.content { throw encoder.invalid(value, "The type encoded nothing.", nil) }
    do {
      return try node.value()
    } catch {
      throw encoder.invalid(value, "The value is nested deeper than \(Self.maximumDepth) collections.", nil)
    }
  }

  /// Makes YAML text of any encodable value; throws as ``encode(_:)`` does.
  public func data(_ value: some Encodable, as format: YAMLFormat = .block) throws -> Data {
    try encode(value).data(format)
  }
}
