public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

/// Reads and writes values as CBOR, for example for a session.
public struct CBORCoding: ValueCoding {
  /// Which responses are accepted; successful ones of `application/cbor` or a type with its suffix by default.
  public var validation = ResponseValidation(mediaTypes: [.cbor])
  /// How values are decoded, with the limits.
  public var decoder: CBORDecoder
  /// How values are encoded.
  public var encoder: CBOREncoder

  /// Creates a coding.
  public init(decoder: CBORDecoder = CBORDecoder(), encoder: CBOREncoder = CBOREncoder()) {
    self.decoder = decoder
    self.encoder = encoder
  }

  /// `application/cbor`.
  public var mediaType: MediaType { .cbor }

  /// Returns whether a body begins with the tag 55799, which means nothing else (RFC 8949 §3.4.6).
  public func recognizes(_ prefix: Data) -> Bool { prefix.starts(with: [0xD9, 0xD9, 0xF7]) }

  /// Returns the value of a body.
  ///
  /// - Throws: ``CBORError`` with the offset; `DecodingError`.
  public func decode<Value: Decodable>(_ type: Value.Type, from body: Data, _ head: ResponseHead?) throws -> Value {
    try decoder.decode(type, from: body)
  }

  /// Returns the value as CBOR.
  ///
  /// - Throws: The errors of ``CBOREncoder/encode(_:)``.
  public func encode(_ value: some Encodable) throws -> Data { try encoder.encode(value) }
}

extension ValueCoding where Self == CBORCoding {
  /// CBOR in the shortest forms.
  public static var cbor: CBORCoding { CBORCoding() }
}
