public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

/// Reads and writes values as JSON, for example for a session.
///
/// Dates are written as RFC 3339 text by default, as `JSONRequestSerializer` writes them, and read the same way.
public struct JSONCoding: ValueCoding {
  /// Which responses are accepted; successful ones of a JSON type by default.
  public var validation = ResponseValidation(mediaTypes: JSONMediaTypes.accepted)
  /// How values are decoded, with the limits.
  public var decoder: JSONValueDecoder
  /// How values are encoded.
  public var encoder: JSONValueEncoder
  /// The layout of the text.
  public var format: JSONFormat
  /// Whether `null` members and elements are removed before decoding.
  public var removesNulls = false

  /// Creates a coding; a nil decoder or encoder means one with RFC 3339 dates.
  public init(decoder: JSONValueDecoder? = nil, encoder: JSONValueEncoder? = nil, format: JSONFormat = .canonical) {
    var standardDecoder = JSONValueDecoder()
    standardDecoder.dateDecodingStrategy = .iso8601
    var standardEncoder = JSONValueEncoder()
    standardEncoder.dateEncodingStrategy = .iso8601
    self.decoder = decoder ?? standardDecoder
    self.encoder = encoder ?? standardEncoder
    self.format = format
  }

  /// `application/json`.
  public var mediaType: MediaType { .json }

  /// Returns whether a body begins like an object or an array.
  public func recognizes(_ prefix: Data) -> Bool {
    let first = prefix.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// Returns the value of a body; an empty body counts as `null`.
  ///
  /// - Throws: `JSONError` with line and column; `DecodingError`; `CharsetError`.
  public func decode<Value: Decodable>(
    _ type: Value.Type, from body: Data, _ head: ResponseHead?
  ) throws -> Value {
    let value = try JSONMediaTypes.value(head, body, decoder.parsingOptions) ?? .null
    return try decoder.decode(type, from: removesNulls ? value.removingNulls() : value)
  }

  /// Returns the value as JSON text.
  ///
  /// - Throws: `EncodingError` for infinities, NaN and values nested too deep.
  public func encode(_ value: some Encodable) throws -> Data { try encoder.data(value, as: format) }
}

extension ValueCoding where Self == JSONCoding {
  /// JSON, with dates as RFC 3339 text.
  public static var json: JSONCoding { JSONCoding() }
}
