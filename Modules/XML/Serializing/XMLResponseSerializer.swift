public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

/// Media types that count as XML.
enum XMLMediaTypes {
  /// XML's own types; the first also covers the suffix `+xml` (RFC 7303 §4.2).
  static let accepted: [MediaType] = [.xml, .textXML]
}

/// Decodes a `Decodable` value from an XML body.
public struct XMLResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
  /// Which responses are accepted; successful ones of an XML type by default.
  public var validation = ResponseValidation(mediaTypes: XMLMediaTypes.accepted)
  /// How values are decoded, with the limits.
  public var decoder: XMLDecoder

  /// Creates a serializer.
  public init(_ type: Value.Type = Value.self, decoder: XMLDecoder = XMLDecoder()) { self.decoder = decoder }

  /// Returns the value decoded from the document's element.
  ///
  /// - Throws: `XMLError` with line and column; `DecodingError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Value {
    let document = try XMLDocument(parsing: body, charset: head?.charset, options: decoder.parsingOptions)
    return try decoder.decode(Value.self, from: document.root)
  }
}

/// Parses an XML body as a document.
public struct XMLDocumentResponseSerializer: ResponseSerializer {
  /// Which responses are accepted; successful ones of an XML type by default.
  public var validation = ResponseValidation(mediaTypes: XMLMediaTypes.accepted)
  /// How the body is parsed, with the limits.
  public var options: XMLParsingOptions

  /// Creates a serializer.
  public init(options: XMLParsingOptions = XMLParsingOptions()) { self.options = options }

  /// Returns the document.
  ///
  /// A charset in the content type overrides the document's declaration (RFC 7303 §3).
  ///
  /// - Throws: `XMLError` with line and column.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> XMLDocument {
    try XMLDocument(parsing: body, charset: head?.charset, options: options)
  }
}

/// Parses an XML body as events, when they are requested.
///
/// Errors in the body are therefore found while it is read. To avoid collecting the body at all, use
/// `response.body.xmlEvents(charset: response.head.charset)`.
public struct XMLEventsResponseSerializer: ResponseSerializer {
  /// Which responses are accepted; successful ones of an XML type by default.
  public var validation = ResponseValidation(mediaTypes: XMLMediaTypes.accepted)
  /// How the body is parsed, with the limits.
  public var options: XMLParsingOptions

  /// Creates a serializer.
  public init(options: XMLParsingOptions = XMLParsingOptions()) { self.options = options }

  /// Returns the events of the body, for a single pass.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> XMLEventSequence<ResponseBody> {
    ResponseBody(body).xmlEvents(charset: head?.charset, options: options)
  }
}

extension ResponseSerializer where Self == XMLDocumentResponseSerializer {
  /// Parses the body as an XML document.
  public static var xmlDocument: XMLDocumentResponseSerializer { XMLDocumentResponseSerializer() }

  /// Parses the body as an XML document, like `xmlDocument`.
  ///
  /// `xml(_:)` with a type decodes a value instead.
  public static var xml: XMLDocumentResponseSerializer { xmlDocument }
}

extension ResponseSerializer {
  /// Decodes the body as a value of a type.
  public static func xml<Value>(
    _ type: Value.Type = Value.self, decoder: XMLDecoder = XMLDecoder()
  ) -> XMLResponseSerializer<Value> where Self == XMLResponseSerializer<Value> {
    XMLResponseSerializer(type, decoder: decoder)
  }
}

extension ResponseSerializer where Self == XMLEventsResponseSerializer {
  /// Parses the body as the events of an XML document, when they are requested.
  public static var xmlEvents: XMLEventsResponseSerializer { XMLEventsResponseSerializer() }
}
