public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

/// What is taken as XML.
enum XMLMediaTypes {
  /// XML's own types; the first answers for those with the suffix `+xml` too (RFC 7303 §4.2).
  static let accepted: [MediaType] = [.xml, .textXML]
}

/// Makes a `Decodable` value of an XML body.
public struct XMLResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
  /// Which responses it takes: those of success, of an XML type, unless told.
  public var validation = ResponseValidation(mediaTypes: XMLMediaTypes.accepted)
  /// How values are read, limits included.
  public var decoder: XMLDecoder

  /// Makes a serializer.
  public init(_ type: Value.Type = Value.self, decoder: XMLDecoder = XMLDecoder()) { self.decoder = decoder }

  /// The decoded value of the document's element.
  ///
  /// - Throws: `XMLError` with line and column; `DecodingError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Value {
    let document = try XMLDocument(parsing: body, charset: head?.charset, options: decoder.parsingOptions)
    return try decoder.decode(Value.self, from: document.root)
  }
}

/// Makes a document of an XML body.
public struct XMLDocumentResponseSerializer: ResponseSerializer {
  /// Which responses it takes: those of success, of an XML type, unless told.
  public var validation = ResponseValidation(mediaTypes: XMLMediaTypes.accepted)
  /// How the body is parsed, limits included.
  public var options: XMLParsingOptions

  /// Makes a serializer.
  public init(options: XMLParsingOptions = XMLParsingOptions()) { self.options = options }

  /// The document; a charset that the type names stands above what the document declares (RFC 7303 §3).
  ///
  /// - Throws: `XMLError` with line and column.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> XMLDocument {
    try XMLDocument(parsing: body, charset: head?.charset, options: options)
  }
}

/// Hands an XML body on as events, which are made when they are asked for.
///
/// What is wrong with the body is found while it is read. A body that should not be collected at all is read as
/// `response.body.xmlEvents(charset: response.head.charset)`.
public struct XMLEventsResponseSerializer: ResponseSerializer {
  /// Which responses it takes: those of success, of an XML type, unless told.
  public var validation = ResponseValidation(mediaTypes: XMLMediaTypes.accepted)
  /// How the body is parsed, limits included.
  public var options: XMLParsingOptions

  /// Makes a serializer.
  public init(options: XMLParsingOptions = XMLParsingOptions()) { self.options = options }

  /// The events of the body, for one pass.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> XMLEventSequence<ResponseBody> {
    ResponseBody(body).xmlEvents(charset: head?.charset, options: options)
  }
}

extension ResponseSerializer where Self == XMLDocumentResponseSerializer {
  /// The body as an XML document.
  public static var xmlDocument: XMLDocumentResponseSerializer { XMLDocumentResponseSerializer() }
}

extension ResponseSerializer {
  /// The body as a value of a type, read from XML.
  public static func xml<Value>(
    _ type: Value.Type = Value.self, decoder: XMLDecoder = XMLDecoder()
  ) -> XMLResponseSerializer<Value> where Self == XMLResponseSerializer<Value> {
    XMLResponseSerializer(type, decoder: decoder)
  }
}

extension ResponseSerializer where Self == XMLEventsResponseSerializer {
  /// The body as the events of an XML document, made when they are asked for.
  public static var xmlEvents: XMLEventsResponseSerializer { XMLEventsResponseSerializer() }
}

extension SerializerRegistry {
  /// Reads XML types, and what begins like XML, as `XMLDocument`.
  @discardableResult
  public func useXML(_ serializer: XMLDocumentResponseSerializer = .xmlDocument) -> Registry<Entry>.Token {
    register(serializer, for: XMLMediaTypes.accepted) { prefix in
      prefix.withUnsafeBytes { bytes in
        // HTML begins so as well, but not with an XML declaration.
        let units = CodeUnits(bytes)
        let start = units.isMarked ? (units.form == .bytes ? 3 : 1) : 0
        return "<?xml".utf8.enumerated().allSatisfy { units[start + $0.offset] == UInt32($0.element) }
      }
    }
  }
}
