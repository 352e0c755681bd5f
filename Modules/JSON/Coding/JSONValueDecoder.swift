public import FoundationEssentials

/// Decodes `Decodable` types from JSON values and from JSON text.
///
/// It has the strategies of `JSONDecoder`, returns the same values and is about twice as fast. The differences: text is
/// read by the strict parser with ``parsingOptions``, which also decide about duplicate names; integers of any size and
/// `Decimal` are read exactly, from the digits; a number too small for a `Double` is zero; names are compared by code
/// units; and an error about a number has its coding path. ``JSONValue``, ``JSONObject`` and ``JSONNumber`` can be
/// parts of a decoded type and are decoded without loss.
public struct JSONValueDecoder: Sendable {
  /// The deepest nesting of a decoded type.
  ///
  /// Beyond it `DecodingError.dataCorrupted` is thrown.
  public static let maximumDepth = 512

  /// How text is parsed; the defaults of ``JSONParsingOptions`` by default.
  public var parsingOptions = JSONParsingOptions()
  /// How `Date` is decoded; by default as `Date` itself does, in seconds since 2001.
  public var dateDecodingStrategy = JSONDecoder.DateDecodingStrategy.deferredToDate
  /// How `Data` is decoded; from base64 by default.
  public var dataDecodingStrategy = JSONDecoder.DataDecodingStrategy.base64
  /// Which strings mean infinities and NaN; none by default.
  public var nonConformingFloatDecodingStrategy = JSONDecoder.NonConformingFloatDecodingStrategy.throw
  /// How member names become keys; unchanged by default.
  public var keyDecodingStrategy = JSONDecoder.KeyDecodingStrategy.useDefaultKeys
  /// Values that decoded types find in `Decoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Creates a decoder with the strategies that `JSONDecoder` starts with.
  public init() {}

  /// Decodes a value of the given type from JSON text.
  ///
  /// - Throws: ``JSONError`` with line and column when the text is not valid JSON or exceeds a limit; `DecodingError`
  ///   with the coding path when it does not fit the type.
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try decode(type, from: JSONValue(parsing: data, options: parsingOptions))
  }

  /// Decodes a value of the given type from a JSON value.
  ///
  /// - Throws: `DecodingError` with the coding path when the value does not fit the type.
  public func decode<Value: Decodable>(_ type: Value.Type, from value: JSONValue) throws -> Value {
    try ValueDecoder(value, settings: DecodingSettings(self)).unboxSelf(type)
  }
}

/// A decoder's strategies, shared by all of its containers.
final class DecodingSettings: Sendable {
  let dates: JSONDecoder.DateDecodingStrategy
  let data: JSONDecoder.DataDecodingStrategy
  let floats: JSONDecoder.NonConformingFloatDecodingStrategy
  let keys: JSONDecoder.KeyDecodingStrategy
  let changesKeys: Bool
  let userInfo: [CodingUserInfoKey: any Sendable]

  init(_ decoder: JSONValueDecoder) {
    dates = decoder.dateDecodingStrategy
    data = decoder.dataDecodingStrategy
    floats = decoder.nonConformingFloatDecodingStrategy
    keys = decoder.keyDecodingStrategy
    if case .useDefaultKeys = keys { changesKeys = false } else { changesKeys = true }
    userInfo = decoder.userInfo
  }
}
