public import FoundationEssentials

/// Makes `Decodable` values of XML documents.
///
/// How a type's keys find what they mean, in the element that the type is read from:
///
/// | key | finds |
/// |---|---|
/// | `name` | the child elements of that local name; where there are none, the attribute |
/// | `@name` | the attribute |
/// | `#text`, or empty | the text of the element |
/// | `p:name`, `@p:name` | the same in the namespace that ``namespaces`` gives for `p` |
///
/// A property that is an array takes all elements of its name, and is empty when there is none. Any other takes one; several
/// are an error, as nothing is left out in silence. An array within an array takes all child elements. Elements and
/// attributes that no key asks for are passed over. An optional is nil when there is nothing of its name, when the element
/// says `xsi:nil="true"`, and, but for text, when the element is empty. Numbers and booleans are read as XML Schema writes
/// them, white space around them dropped.
///
/// ```swift
/// struct Book: Decodable {
///   var id: Int          // <book id="7"> or <id>7</id>
///   var author: [String] // <author>A</author><author>B</author>
/// }
/// let book = try XMLDecoder().decode(Book.self, from: data)
/// ```
public struct XMLDecoder: Sendable {
  /// How many elements deep a type is decoded; beyond it `DecodingError.dataCorrupted` is thrown.
  public static let maximumDepth = 512

  /// How a date is written.
  public enum DateStrategy: Sendable {
    /// As in RFC 3339 and XML Schema's `dateTime`, `2026-11-21T09:00:00Z`.
    case iso8601
    /// Seconds since 1970.
    case secondsSince1970
    /// Milliseconds since 1970.
    case millisecondsSince1970
    /// Read by the caller.
    case custom(@Sendable (String) -> Date?)
  }

  /// How documents are parsed, limits included.
  public var parsingOptions = XMLParsingOptions()
  /// How a date is read; as ISO 8601 unless set.
  public var dateStrategy = DateStrategy.iso8601
  /// Which namespaces the prefixes of keys stand for.
  public var namespaces: [String: String] = [:]
  /// Values that types find in `Decoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Makes a decoder.
  public init() {}

  /// What a prefix of a key stands for; `xml` need not be told.
  func namespace(of prefix: String) -> String? { namespaces[prefix] ?? (prefix == "xml" ? XMLName.xmlNamespace : nil) }

  /// Makes a value of a document's element, whatever its name is.
  ///
  /// - Throws: ``XMLError`` with line and column; `DecodingError` with the coding path when it does not fit the type.
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try decode(type, from: XMLDocument(parsing: data, options: parsingOptions).root)
  }

  /// Makes a value of an element.
  ///
  /// - Throws: `DecodingError` with the coding path when it does not fit the type.
  public func decode<Value: Decodable>(_ type: Value.Type, from element: XMLElement) throws -> Value {
    try ElementDecoder(.element(element), settings: self).value(type)
  }
}
