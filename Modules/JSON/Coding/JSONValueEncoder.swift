import CurlewSerialization
public import FoundationEssentials

/// Encodes `Encodable` types to JSON values and JSON text.
///
/// It takes the strategies of `JSONEncoder` and writes alike, with these differences: members keep the order in which
/// a type encodes them, integers of any size and `Decimal` are exact, and slashes are not escaped. ``JSONValue``,
/// ``JSONObject`` and ``JSONNumber`` can be parts of an encoded type and arrive without loss.
public struct JSONValueEncoder: Sendable {
  /// How many containers deep a type is encoded; beyond it `EncodingError.invalidValue` is thrown.
  public static let maximumDepth = 512

  /// How `Date` is written; as `Date` itself does, in seconds since 2001, unless set.
  public var dateEncodingStrategy = JSONEncoder.DateEncodingStrategy.deferredToDate
  /// How `Data` is written; as base64 unless set.
  public var dataEncodingStrategy = JSONEncoder.DataEncodingStrategy.base64
  /// Which strings stand for infinities and NaN; they are an error unless set.
  public var nonConformingFloatEncodingStrategy = JSONEncoder.NonConformingFloatEncodingStrategy.throw
  /// How keys become member names; unchanged unless set.
  public var keyEncodingStrategy = JSONEncoder.KeyEncodingStrategy.useDefaultKeys
  /// Values that types find in `Encoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Makes an encoder with the strategies that `JSONEncoder` starts with.
  public init() {}

  /// Makes a JSON value of any encodable one.
  ///
  /// - Throws: `EncodingError` for what JSON cannot express (infinities, NaN), a type that encodes nothing, or one
  ///   nested too deep; and what the type itself throws.
  public func encode(_ value: some Encodable) throws -> JSONValue {
    let encoder = ValueEncoder(settings: EncodingSettings(self))
    let node = try encoder.box(value, nil)
    if case .none = node.content { throw encoder.invalid(value, "The type encoded nothing.", nil) }
    do {
      return try node.value()
    } catch {
      throw encoder.invalid(value, "The value is nested deeper than \(Self.maximumDepth) containers.", nil)
    }
  }

  /// Makes JSON text of any encodable value; throws as ``encode(_:)`` does.
  public func data(_ value: some Encodable, as format: JSONFormat = .canonical) throws -> Data {
    try encode(value).data(format)
  }
}

/// An encoder's strategies, made once for all of its containers.
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
