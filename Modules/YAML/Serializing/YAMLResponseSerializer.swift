public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

/// Makes a `Decodable` value of a YAML body with one document.
///
/// A body without a document is `null`: an optional type is then nil, and a type that cannot be null is an error.
public struct YAMLResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
  /// Which responses it takes: those of success, of a YAML type, unless told.
  public var validation = ResponseValidation(mediaTypes: YAMLMediaTypes.accepted)
  /// How values are read, limits included.
  public var decoder: YAMLValueDecoder

  /// Makes a serializer.
  public init(_ type: Value.Type = Value.self, decoder: YAMLValueDecoder = YAMLValueDecoder()) {
    self.decoder = decoder
  }

  /// The decoded value.
  ///
  /// - Throws: `YAMLError` with line and column; `DecodingError`; `CharsetError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Value {
    let value = try YAMLMediaTypes.value(head, body, decoder.parsingOptions)
    return try decoder.decode(Value.self, from: value ?? .null)
  }
}

/// Makes a dynamic value of a YAML body with one document; nil of one without.
public struct YAMLValueResponseSerializer: ResponseSerializer {
  /// Which responses it takes: those of success, of a YAML type, unless told.
  public var validation = ResponseValidation(mediaTypes: YAMLMediaTypes.accepted)
  /// How the body is parsed, limits included.
  public var options: YAMLParsingOptions

  /// Makes a serializer.
  public init(options: YAMLParsingOptions = YAMLParsingOptions()) {
    self.options = options
  }

  /// The value.
  ///
  /// - Throws: `YAMLError` with line and column; `CharsetError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> YAMLValue? {
    try YAMLMediaTypes.value(head, body, options)
  }
}

/// Makes dynamic values of all documents in a YAML body; none of an empty one.
public struct YAMLDocumentsResponseSerializer: ResponseSerializer {
  /// Which responses it takes: those of success, of a YAML type, unless told.
  public var validation = ResponseValidation(mediaTypes: YAMLMediaTypes.accepted)
  /// How the body is parsed, limits included.
  public var options: YAMLParsingOptions

  /// Makes a serializer.
  public init(options: YAMLParsingOptions = YAMLParsingOptions()) {
    self.options = options
  }

  /// The values, one of each document.
  ///
  /// - Throws: `YAMLError` with line and column; `CharsetError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> [YAMLValue] {
    try YAMLMediaTypes.documents(head, body, options)
  }
}

extension ResponseSerializer where Self == YAMLValueResponseSerializer {
  /// The body's one document as a YAML value; nil when it has none.
  public static var yamlValue: YAMLValueResponseSerializer { YAMLValueResponseSerializer() }
}

extension ResponseSerializer where Self == YAMLDocumentsResponseSerializer {
  /// All documents of the body as YAML values.
  public static var yamlDocuments: YAMLDocumentsResponseSerializer { YAMLDocumentsResponseSerializer() }
}

extension ResponseSerializer {
  /// The body's one document as a value of a type, read from YAML.
  public static func yaml<Value>(
    _ type: Value.Type = Value.self, decoder: YAMLValueDecoder = YAMLValueDecoder()
  ) -> YAMLResponseSerializer<Value> where Self == YAMLResponseSerializer<Value> {
    YAMLResponseSerializer(type, decoder: decoder)
  }
}

extension SerializerRegistry {
  /// Reads YAML types, and what begins with a directive or a document marker, as `YAMLValue?`.
  @discardableResult
  public func useYAML(_ serializer: YAMLValueResponseSerializer = .yamlValue) -> Registry<Entry>.Token {
    register(serializer, for: YAMLMediaTypes.accepted) { prefix in
      prefix.starts(with: "%YAML ".utf8) || prefix.starts(with: "---\n".utf8) || prefix.starts(with: "---\r\n".utf8)
        || prefix.starts(with: "--- ".utf8)
    }
  }
}
