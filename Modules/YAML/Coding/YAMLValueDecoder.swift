public import FoundationEssentials

/// Decodes `Decodable` types from YAML values and YAML text.
///
/// Values have the kinds that the schema gave them: `version: 1.10` is a float, and asking for a `String` there is an
/// error that says so. An integer is taken where a float is wanted, and a float that is whole where an integer is. Keys of
/// mappings are found by their text, so `8080: http` fits `[Int: String]`. `Data` is base64, with the tag `!!binary` or
/// without. Tags that a type does not ask for are seen through. ``YAMLValue``, ``YAMLMapping``, ``YAMLInteger`` and
/// ``YAMLFloat`` can be parts of a decoded type and arrive without loss.
public struct YAMLValueDecoder: Sendable {
  /// How many collections deep a type is decoded; beyond it `DecodingError.dataCorrupted` is thrown.
  public static let maximumDepth = 512

  /// How text is parsed; the defaults of ``YAMLParsingOptions`` unless set.
  public var parsingOptions = YAMLParsingOptions()
  /// How `Date` is read; from ISO 8601 unless set.
  public var dateStrategy = YAMLDateStrategy.iso8601
  /// Values that types find in `Decoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Makes a decoder.
  public init() {}

  /// Makes a value of `type` from the one document of a YAML text.
  ///
  /// - Throws: ``YAMLError`` with line and column when the text is no YAML or beyond a limit; `DecodingError` with the
  ///   coding path when it does not fit the type.
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try decode(type, from: YAMLValue(parsing: data, options: parsingOptions))
  }

  /// Makes a value of `type` from a YAML text in a string; throws as for `Data`.
  public func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
    try decode(type, from: YAMLValue(parsing: text, options: parsingOptions))
  }

  /// Makes a value of `type` from a YAML value.
  ///
  /// - Throws: `DecodingError` with the coding path when it does not fit the type.
  public func decode<Value: Decodable>(_ type: Value.Type, from value: YAMLValue) throws -> Value {
    try ValueDecoder(value, decoder: self).unboxSelf(type)
  }
}
