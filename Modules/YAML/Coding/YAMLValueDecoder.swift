public import FoundationEssentials

/// Decodes `Decodable` types from YAML values and YAML text.
///
/// Values have the kinds that the schema gives them: `version: 1.10` is a float, and decoding it as a `String` throws
/// an error that says so. An integer can be decoded as a float, and a whole float as an integer. Mapping keys are
/// matched by their text, so `8080: http` fits `[Int: String]`. `Data` is base64, with or without the tag `!!binary`.
/// Tags that a type does not ask for are ignored. ``YAMLValue``, ``YAMLMapping``, ``YAMLInteger`` and ``YAMLFloat`` can
/// be parts of a decoded type and are decoded without loss.
public struct YAMLValueDecoder: Sendable {
  /// The deepest nesting of a decoded type.
  ///
  /// Beyond it `DecodingError.dataCorrupted` is thrown.
  public static let maximumDepth = 512

  /// How text is parsed; the defaults of ``YAMLParsingOptions`` by default.
  public var parsingOptions = YAMLParsingOptions()
  /// How `Date` is decoded; from ISO 8601 by default.
  public var dateStrategy = YAMLDateStrategy.iso8601
  /// Values that decoded types find in `Decoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Creates a decoder.
  public init() {}

  /// Decodes a value of the given type from a YAML text with one document.
  ///
  /// - Throws: ``YAMLError`` with line and column when the text is not valid YAML or exceeds a limit; `DecodingError`
  ///   with the coding path when it does not fit the type.
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try decode(type, from: YAMLValue(parsing: data, options: parsingOptions))
  }

  /// Decodes a value of the given type from a string; throws as for `Data`.
  public func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
    try decode(type, from: YAMLValue(parsing: text, options: parsingOptions))
  }

  /// Decodes a value of the given type from a YAML value.
  ///
  /// - Throws: `DecodingError` with the coding path when the value does not fit the type.
  public func decode<Value: Decodable>(_ type: Value.Type, from value: YAMLValue) throws -> Value {
    try ValueDecoder(value, decoder: self).unboxSelf(type)
  }
}
