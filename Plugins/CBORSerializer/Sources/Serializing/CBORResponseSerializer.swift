public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

/// Decodes a `Decodable` value from a CBOR body.
public struct CBORResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
  /// Which responses are accepted; successful ones of `application/cbor` or a type with its suffix by default.
  public var validation = ResponseValidation(mediaTypes: [.cbor])
  /// How values are decoded, with the limits.
  public var decoder: CBORDecoder

  /// Creates a serializer.
  public init(_ type: Value.Type = Value.self, decoder: CBORDecoder = CBORDecoder()) { self.decoder = decoder }

  /// Returns the decoded value.
  ///
  /// - Throws: ``CBORError`` with the offset; `DecodingError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Value {
    try decoder.decode(Value.self, from: body)
  }
}

/// Reads a CBOR body as a value.
public struct CBORValueResponseSerializer: ResponseSerializer {
  /// Which responses are accepted; successful ones of `application/cbor` or a type with its suffix by default.
  public var validation = ResponseValidation(mediaTypes: [.cbor])
  /// Limits and rules for reading.
  public var options: CBOROptions

  /// Creates a serializer.
  public init(options: CBOROptions = CBOROptions()) { self.options = options }

  /// Returns the value.
  ///
  /// - Throws: ``CBORError`` with the offset.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> CBORValue {
    try CBORValue(parsing: body, options: options)
  }
}

extension ResponseSerializer where Self == CBORValueResponseSerializer {
  /// Reads the body as a CBOR value.
  public static var cborValue: CBORValueResponseSerializer { CBORValueResponseSerializer() }
}

extension ResponseSerializer {
  /// Decodes a value of a type from the body.
  public static func cbor<Value>(
    _ type: Value.Type = Value.self, decoder: CBORDecoder = CBORDecoder()
  ) -> CBORResponseSerializer<Value> where Self == CBORResponseSerializer<Value> {
    CBORResponseSerializer(type, decoder: decoder)
  }
}
