public import FoundationEssentials

/// Decodes `Decodable` values from XML documents.
///
/// Each key of a type refers to a part of the element that the type is decoded from:
///
/// | key | finds |
/// |---|---|
/// | `name` | the child elements of that local name; where there are none, the attribute |
/// | `@name` | the attribute |
/// | `#text`, or empty | the text of the element |
/// | `p:name`, `@p:name` | the same in the namespace that ``namespaces`` gives for `p` |
///
/// An array property takes all elements of its name; it is empty when there are none. Any other property takes one
/// element; several are an error, so that no data is dropped silently. An array inside an array takes all child
/// elements. Elements and attributes without a matching key are ignored. An optional is nil when nothing has its name,
/// when the element has `xsi:nil="true"`, and, except for text, when the element is empty. Numbers and booleans are
/// read in the notation of XML Schema, without surrounding white space.
///
/// ```swift
/// struct Book: Decodable {
///   var id: Int          // <book id="7"> or <id>7</id>
///   var author: [String] // <author>A</author><author>B</author>
/// }
/// let book = try XMLDecoder().decode(Book.self, from: data)
/// ```
public struct XMLDecoder: Sendable {
  /// The deepest nesting of a decoded type.
  ///
  /// Beyond it `DecodingError.dataCorrupted` is thrown.
  public static let maximumDepth = 512

  /// How a date is represented.
  public enum DateStrategy: Sendable {
    /// The format of RFC 3339 and XML Schema's `dateTime`: `2026-11-21T09:00:00Z`.
    case iso8601
    /// Seconds since 1970.
    case secondsSince1970
    /// Milliseconds since 1970.
    case millisecondsSince1970
    /// Decoded by the caller; nil means that the text is not a date.
    case custom(@Sendable (String) -> Date?)
  }

  /// How documents are parsed, with the limits.
  public var parsingOptions = XMLParsingOptions()
  /// How a date is decoded; from ISO 8601 by default.
  public var dateStrategy = DateStrategy.iso8601
  /// The namespaces of prefixes that are used in keys.
  public var namespaces: [String: String] = [:]
  /// Values that decoded types find in `Decoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Creates a decoder.
  public init() {}

  /// Returns the namespace of a key's prefix; `xml` is predefined.
  func namespace(of prefix: String) -> String? { namespaces[prefix] ?? (prefix == "xml" ? XMLName.xmlNamespace : nil) }

  /// Decodes a value from a document's element, whatever its name.
  ///
  /// - Throws: ``XMLError`` with line and column; `DecodingError` with the coding path when it does not fit the type.
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try decode(type, from: XMLDocument(parsing: data, options: parsingOptions).root)
  }

  /// Decodes a value from an element.
  ///
  /// - Throws: `DecodingError` with the coding path when the element does not fit the type.
  public func decode<Value: Decodable>(_ type: Value.Type, from element: XMLElement) throws -> Value {
    try ElementDecoder(.element(element), settings: self).value(type)
  }
}
