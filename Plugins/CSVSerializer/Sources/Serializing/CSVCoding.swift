public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

/// Reads and writes arrays of values as CSV, for example for a session.
public struct CSVCoding: ValueCoding {
  /// Which responses are accepted; successful ones of a CSV type by default.
  public var validation = ResponseValidation(mediaTypes: CSVMediaTypes.accepted)
  /// How rows are decoded, with the limits.
  public var decoder: CSVDecoder
  /// How rows are encoded.
  public var encoder: CSVEncoder

  /// Creates a coding.
  public init(decoder: CSVDecoder = CSVDecoder(), encoder: CSVEncoder = CSVEncoder()) {
    self.decoder = decoder
    self.encoder = encoder
  }

  /// `text/csv`.
  public var mediaType: MediaType { .csv }

  /// Returns the value of a body, which must be an array.
  ///
  /// - Throws: ``CSVError`` with the line and the column; `DecodingError`; `CharsetError`.
  public func decode<Value: Decodable>(_ type: Value.Type, from body: Data, _ head: ResponseHead?) throws -> Value {
    var decoder = decoder
    let (text, options) = try CSVMediaTypes.read(head, body, decoder.options)
    decoder.options = options
    return try decoder.decode(type, from: text)
  }

  /// Returns the value as CSV text.
  ///
  /// - Throws: `ParametersError` for a value that is not a table.
  public func encode(_ value: some Encodable) throws -> Data { try encoder.encode(value) }
}

extension ValueCoding where Self == CSVCoding {
  /// CSV with a header.
  public static var csv: CSVCoding { CSVCoding() }
}
