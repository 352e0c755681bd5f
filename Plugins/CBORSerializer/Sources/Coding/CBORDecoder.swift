public import FoundationEssentials

/// Decodes `Decodable` types from CBOR.
///
/// A keyed type is a map with text keys; a coding key with an `intValue` is also found under that integer. A dictionary of strings takes
/// text keys only, and a dictionary of `Int` integers only: any other key, or two that are the same `String`, is an error. Dates are numbers or RFC 3339
/// text with the tags 1 and 0 or without one, data is a byte string, a URL is text, and integers of more than 64 bits are bignums. An
/// integral floating-point number is also an integer, and a whole number also a floating-point number, if none loses its value.
/// ``CBORValue`` can be part of a decoded type.
public struct CBORDecoder: Sendable {
  /// Limits and rules for reading.
  public var options: CBOROptions
  /// Values that decoded types find in `Decoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Creates a decoder.
  public init(options: CBOROptions = CBOROptions()) { self.options = options }

  /// Decodes the one data item of some bytes.
  ///
  /// - Throws: ``CBORError`` with the offset; `DecodingError`; any error of the type itself.
  public func decode<Value: Decodable>(_ type: Value.Type, from bytes: Data) throws -> Value {
    try decode(type, from: CBORValue(parsing: bytes, options: options))
  }

  /// Decodes a value that was read before.
  ///
  /// - Throws: `DecodingError`; any error of the type itself.
  public func decode<Value: Decodable>(_ type: Value.Type, from value: CBORValue) throws -> Value {
    try ItemDecoder(value, info: userInfo).decode(type)
  }
}
