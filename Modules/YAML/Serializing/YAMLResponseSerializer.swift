public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

/// Decodes a `Decodable` value from a YAML body with one document.
///
/// A body without a document counts as `null`: an optional type is then nil, and any other type is an error.
public struct YAMLResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
  /// Which responses are accepted; successful ones of a YAML type by default.
  public var validation = ResponseValidation(mediaTypes: YAMLMediaTypes.accepted)
  /// How values are decoded, with the limits.
  public var decoder: YAMLValueDecoder

  /// Creates a serializer.
  public init(_ type: Value.Type = Value.self, decoder: YAMLValueDecoder = YAMLValueDecoder()) {
    self.decoder = decoder
  }

  /// Returns the decoded value.
  ///
  /// - Throws: `YAMLError` with line and column; `DecodingError`; `CharsetError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Value {
    let value = try YAMLMediaTypes.value(head, body, decoder.parsingOptions)
    return try decoder.decode(Value.self, from: value ?? .null)
  }
}

/// Parses a YAML body with one document; nil if the body has no document.
public struct YAMLValueResponseSerializer: ResponseSerializer {
  /// Which responses are accepted; successful ones of a YAML type by default.
  public var validation = ResponseValidation(mediaTypes: YAMLMediaTypes.accepted)
  /// How the body is parsed, with the limits.
  public var options: YAMLParsingOptions

  /// Creates a serializer.
  public init(options: YAMLParsingOptions = YAMLParsingOptions()) {
    self.options = options
  }

  /// Returns the parsed value.
  ///
  /// - Throws: `YAMLError` with line and column; `CharsetError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> YAMLValue? {
    try YAMLMediaTypes.value(head, body, options)
  }
}

/// Parses all documents of a YAML body; an empty body has none.
public struct YAMLDocumentsResponseSerializer: ResponseSerializer {
  /// Which responses are accepted; successful ones of a YAML type by default.
  public var validation = ResponseValidation(mediaTypes: YAMLMediaTypes.accepted)
  /// How the body is parsed, with the limits.
  public var options: YAMLParsingOptions

  /// Creates a serializer.
  public init(options: YAMLParsingOptions = YAMLParsingOptions()) {
    self.options = options
  }

  /// Returns the values, one for each document.
  ///
  /// - Throws: `YAMLError` with line and column; `CharsetError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> [YAMLValue] {
    try YAMLMediaTypes.documents(head, body, options)
  }
}

extension ResponseSerializer where Self == YAMLValueResponseSerializer {
  /// Parses the body's one document as a YAML value; nil when it has none.
  public static var yamlValue: YAMLValueResponseSerializer { YAMLValueResponseSerializer() }
}

extension ResponseSerializer where Self == YAMLDocumentsResponseSerializer {
  /// Parses all documents of the body as YAML values.
  public static var yamlDocuments: YAMLDocumentsResponseSerializer { YAMLDocumentsResponseSerializer() }
}

extension ResponseSerializer {
  /// Decodes a value of a type from the body's one document.
  public static func yaml<Value>(
    _ type: Value.Type = Value.self, decoder: YAMLValueDecoder = YAMLValueDecoder()
  ) -> YAMLResponseSerializer<Value> where Self == YAMLResponseSerializer<Value> {
    YAMLResponseSerializer(type, decoder: decoder)
  }
}
