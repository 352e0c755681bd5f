import CurlewSerialization
public import FoundationEssentials

/// Encodes `Encodable` types to JSON values and JSON text.
///
/// It has the strategies of `JSONEncoder` and writes the same text, with these differences: members keep the order in
/// which a type encodes them, integers of any size and `Decimal` are exact, and slashes are not escaped. ``JSONValue``,
/// ``JSONObject`` and ``JSONNumber`` can be parts of an encoded type and are encoded without loss.
public struct JSONValueEncoder: Sendable {
  /// The deepest nesting of an encoded type.
  ///
  /// Beyond it `EncodingError.invalidValue` is thrown.
  public static let maximumDepth = 512

  /// How `Date` is encoded; by default as `Date` itself does, in seconds since 2001.
  public var dateEncodingStrategy = JSONEncoder.DateEncodingStrategy.deferredToDate
  /// How `Data` is encoded; as base64 by default.
  public var dataEncodingStrategy = JSONEncoder.DataEncodingStrategy.base64
  /// Which strings mean infinities and NaN; by default they are an error.
  public var nonConformingFloatEncodingStrategy = JSONEncoder.NonConformingFloatEncodingStrategy.throw
  /// How keys become member names; unchanged by default.
  public var keyEncodingStrategy = JSONEncoder.KeyEncodingStrategy.useDefaultKeys
  /// Values that encoded types find in `Encoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Creates an encoder with the strategies that `JSONEncoder` starts with.
  public init() {}

  /// Encodes a value as a JSON value.
  ///
  /// - Throws: `EncodingError` for infinities and NaN, for a type that encodes nothing, and for nesting deeper than
  ///   ``maximumDepth``; also whatever the type itself throws.
  public func encode(_ value: some Encodable) throws -> JSONValue {
    let encoder = ValueEncoder(settings: EncodingSettings(self))
    let node = try encoder.box(value, nil)
    if case .none = node.content {
      throw encoder.invalid(value, "The type encoded no value; its encode(to:) must encode one.", nil)
    }
    do {
      return try node.value()
    } catch {
      throw encoder.invalid(value, "The value is nested deeper than \(Self.maximumDepth) containers.", nil)
    }
  }

  /// Encodes a value as JSON text; throws as ``encode(_:)`` does.
  public func data(_ value: some Encodable, as format: JSONFormat = .canonical) throws -> Data {
    try encode(value).data(format)
  }
}

/// An encoder's strategies, shared by all of its containers.
final class EncodingSettings: Sendable {
  let dates: JSONEncoder.DateEncodingStrategy
  let data: JSONEncoder.DataEncodingStrategy
  let floats: JSONEncoder.NonConformingFloatEncodingStrategy
  let keys: JSONEncoder.KeyEncodingStrategy
  let userInfo: [CodingUserInfoKey: any Sendable]

  init(_ encoder: JSONValueEncoder) {
    dates = encoder.dateEncodingStrategy
    data = encoder.dataEncodingStrategy
    floats = encoder.nonConformingFloatEncodingStrategy
    keys = encoder.keyEncodingStrategy
    userInfo = encoder.userInfo
  }
}
