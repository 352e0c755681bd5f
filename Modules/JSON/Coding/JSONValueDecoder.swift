public import FoundationEssentials

/// Decodes `Decodable` types from JSON values and from JSON text.
///
/// It takes the strategies of `JSONDecoder`, answers alike and is about twice as fast. What differs: text is read by the
/// strict parser under ``parsingOptions``, which also say what a duplicate name means; integers of any size and
/// `Decimal` are exact, as they are read from the digits; a number too small for a `Double` is zero; names are compared
/// by code units; and an error about a number tells its coding path. ``JSONValue``, ``JSONObject`` and ``JSONNumber``
/// can be parts of a decoded type and arrive without loss.
public struct JSONValueDecoder: Sendable {
  /// How many containers deep a type is decoded; beyond it `DecodingError.dataCorrupted` is thrown.
  public static let maximumDepth = 512

  /// How text is parsed; the defaults of ``JSONParsingOptions`` unless set.
  public var parsingOptions = JSONParsingOptions()
  /// How `Date` is read; as `Date` itself does, in seconds since 2001, unless set.
  public var dateDecodingStrategy = JSONDecoder.DateDecodingStrategy.deferredToDate
  /// How `Data` is read; from base64 unless set.
  public var dataDecodingStrategy = JSONDecoder.DataDecodingStrategy.base64
  /// Which strings stand for infinities and NaN; none unless set.
  public var nonConformingFloatDecodingStrategy = JSONDecoder.NonConformingFloatDecodingStrategy.throw
  /// How member names become keys; unchanged unless set.
  public var keyDecodingStrategy = JSONDecoder.KeyDecodingStrategy.useDefaultKeys
  /// Values that types find in `Decoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Makes a decoder with the strategies that `JSONDecoder` starts with.
  public init() {}

  /// Makes a value of `type` from JSON text.
  ///
  /// - Throws: ``JSONError`` with line and column when the text is no JSON or beyond a limit; `DecodingError` with the
  ///   coding path when it does not fit the type.
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try decode(type, from: JSONValue(parsing: data, options: parsingOptions))
  }

  /// Makes a value of `type` from a JSON value.
  ///
  /// - Throws: `DecodingError` with the coding path when it does not fit the type.
  public func decode<Value: Decodable>(_ type: Value.Type, from value: JSONValue) throws -> Value {
    try ValueDecoder(value, settings: DecodingSettings(self)).unboxSelf(type)
  }
}

/// A decoder's strategies, made once for all of its containers.
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
