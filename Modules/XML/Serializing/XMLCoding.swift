public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

/// Reads and writes values as XML, for example for a session.
public struct XMLCoding: ValueCoding {
  /// Which responses are accepted; successful ones of an XML type by default.
  public var validation = ResponseValidation(mediaTypes: XMLMediaTypes.accepted)
  /// How values are decoded, with the limits.
  public var decoder: XMLDecoder
  /// How values become elements.
  public var encoder: XMLEncoder
  /// The name of the document's element; nil means the name of the value's type.
  public var rootName: String?
  /// The layout of the text.
  public var format: XMLFormat

  /// Creates a coding.
  public init(
    decoder: XMLDecoder = XMLDecoder(), encoder: XMLEncoder = XMLEncoder(), rootName: String? = nil,
    format: XMLFormat = .compact
  ) {
    self.decoder = decoder
    self.encoder = encoder
    self.rootName = rootName
    self.format = format
  }

  /// `application/xml`.
  public var mediaType: MediaType { .xml }

  /// Returns whether a body begins with an XML declaration; HTML may begin like XML without one.
  public func recognizes(_ prefix: Data) -> Bool {
    prefix.withUnsafeBytes { bytes in
      let units = CodeUnits(bytes)
      let start = units.isMarked ? (units.form == .bytes ? 3 : 1) : 0
      return "<?xml".utf8.enumerated().allSatisfy { units[start + $0.offset] == UInt32($0.element) }
    }
  }

  /// Returns the value of a document's element.
  ///
  /// - Throws: `XMLError` with line and column; `DecodingError`.
  public func decode<Value: Decodable>(_ type: Value.Type, from body: Data, _ head: ResponseHead?) throws -> Value {
    let document = try XMLDocument(parsing: body, charset: head?.charset, options: decoder.parsingOptions)
    return try decoder.decode(type, from: document.root)
  }

  /// Returns the value as a document in UTF-8.
  ///
  /// - Throws: `XMLWritingError` for names and characters that XML does not allow; `EncodingError`.
  public func encode(_ value: some Encodable) throws -> Data {
    try encoder.data(value, rootName: rootName, as: format)
  }
}

extension ValueCoding where Self == XMLCoding {
  /// XML, with the name of a value's type as the name of the document's element.
  public static var xml: XMLCoding { XMLCoding() }
}
