public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

/// Reads and writes values as YAML, for example for a session.
public struct YAMLCoding: ValueCoding {
  /// Which responses are accepted; successful ones of a YAML type by default.
  public var validation = ResponseValidation(mediaTypes: YAMLMediaTypes.accepted)
  /// How values are decoded, with the limits.
  public var decoder: YAMLValueDecoder
  /// How values are encoded.
  public var encoder: YAMLValueEncoder
  /// The layout of the text.
  public var format: YAMLFormat

  /// Creates a coding.
  public init(
    decoder: YAMLValueDecoder = YAMLValueDecoder(), encoder: YAMLValueEncoder = YAMLValueEncoder(),
    format: YAMLFormat = .block
  ) {
    self.decoder = decoder
    self.encoder = encoder
    self.format = format
  }

  /// `application/yaml`.
  public var mediaType: MediaType { .yaml }

  /// Returns whether a body begins with a directive or a document marker.
  public func recognizes(_ prefix: Data) -> Bool {
    ["%YAML ", "---\n", "---\r\n", "--- "].contains { prefix.starts(with: $0.utf8) }
  }

  /// Returns the value of a body's one document; a body without a document counts as `null`.
  ///
  /// - Throws: `YAMLError` with line and column; `DecodingError`; `CharsetError`.
  public func decode<Value: Decodable>(_ type: Value.Type, from body: Data, _ head: ResponseHead?) throws -> Value {
    try decoder.decode(type, from: YAMLMediaTypes.value(head, body, decoder.parsingOptions) ?? .null)
  }

  /// Returns the value as YAML text.
  ///
  /// - Throws: `EncodingError` for values nested too deep.
  public func encode(_ value: some Encodable) throws -> Data { try encoder.data(value, as: format) }
}

extension ValueCoding where Self == YAMLCoding {
  /// YAML in block layout.
  public static var yaml: YAMLCoding { YAMLCoding() }
}

/// The media types that count as YAML, and how their bodies are parsed.
enum YAMLMediaTypes {
  /// The registered type, its suffix, and the three it replaces (RFC 9512 §2.1).
  static let accepted: [MediaType] =
    [
      .yaml, MediaType(type: "application", subtype: "x-yaml"), MediaType(type: "text", subtype: "yaml"),
      MediaType(type: "text", subtype: "x-yaml"),
    ].compactMap { $0 }

  /// Returns the one document of a body; nil if the body has no document.
  static func value(_ head: ResponseHead?, _ body: Data, _ options: YAMLParsingOptions) throws -> YAMLValue? {
    do {
      guard let text = try CharsetDecoder.foreignText(head, body) else {
        return try YAMLValue(parsing: body, options: options)
      }
      return try YAMLValue(parsing: text, options: options)
    } catch let error as YAMLError where error.kind == .empty {
      return nil
    }
  }

  /// Returns all documents of a body; an empty body has none.
  static func documents(_ head: ResponseHead?, _ body: Data, _ options: YAMLParsingOptions) throws -> [YAMLValue] {
    guard let text = try CharsetDecoder.foreignText(head, body) else {
      return try YAMLValue.documents(parsing: body, options: options)
    }
    return try YAMLValue.documents(parsing: text, options: options)
  }
}
