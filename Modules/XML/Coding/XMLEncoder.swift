public import FoundationEssentials

/// A type some of whose keys are written as attributes.
///
/// ```swift
/// extension Book: XMLAttributeCoding {
///   static func isAttribute(_ key: any CodingKey) -> Bool { key.stringValue == "id" }
/// }
/// ```
public protocol XMLAttributeCoding {
  /// Whether a key is written as an attribute; it is asked for each key that is encoded.
  static func isAttribute(_ key: any CodingKey) -> Bool
}

/// Makes XML documents of `Encodable` values.
///
/// What becomes of a type's keys, in the element that the type is written as:
///
/// | key | becomes |
/// |---|---|
/// | `name` | a child element; an attribute where the type's ``XMLAttributeCoding`` says so |
/// | `@name` | an attribute |
/// | `#text`, or empty | the text of the element |
/// | `p:name`, `@p:name` | the same in the namespace that ``namespaces`` gives for `p` |
///
/// An array becomes an element of its name for each of its elements; within another array, or as the whole value, elements
/// named `item`. What is not encoded, as an optional that is nil, is left out; what is encoded as nil says
/// `xsi:nil="true"`. Numbers, booleans and dates are written as XML Schema has them, data as base64. What ``XMLDecoder``
/// reads is the same again.
public struct XMLEncoder: Sendable {
  /// How many elements deep a value is encoded; beyond it `EncodingError` is thrown.
  public static let maximumDepth = 512

  /// How a date is written.
  public enum DateStrategy: Sendable {
    /// As in RFC 3339 and XML Schema's `dateTime`, `2026-11-21T09:00:00Z`.
    case iso8601
    /// Seconds since 1970.
    case secondsSince1970
    /// Milliseconds since 1970.
    case millisecondsSince1970
    /// Written by the caller.
    case custom(@Sendable (Date) -> String)
  }

  /// How a date is written; as ISO 8601 unless set.
  public var dateStrategy = DateStrategy.iso8601
  /// The namespace of all elements whose key names no prefix; none unless set.
  public var defaultNamespace: String?
  /// Which namespaces the prefixes of keys stand for; they are declared by the document's element.
  public var namespaces: [String: String] = [:]
  /// Values that types find in `Encoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Makes an encoder.
  public init() {}

  /// The value as a document in UTF-8.
  ///
  /// - Parameter rootName: The name of the document's element; the name of the type when it is nil.
  /// - Throws: `EncodingError` for what has no place in XML, as an object for an attribute; ``XMLWritingError`` for keys that
  ///   are no names and texts with characters that XML does not allow.
  public func data(
    _ value: some Encodable, rootName: String? = nil, as format: XMLFormat = .compact
  ) throws -> Data {
    try draft(value, rootName: rootName).data(format)
  }

  /// The value as an element in the making.
  ///
  /// - Parameter rootName: The name of the element; the name of the type when it is nil.
  /// - Throws: `EncodingError` for what has no place in XML.
  public func draft<Value: Encodable>(_ value: Value, rootName: String? = nil) throws -> XMLDraft {
    let node = EncodingNode()
    try ElementEncoder(node, settings: self, attributes: nil).box(value)
    var draft = try DraftMaker(settings: self).root(rootName ?? String(describing: Value.self), node)
    draft.declarations += namespaces.sorted { $0.key < $1.key }.map {
      XMLNamespaceDeclaration(prefix: $0.key, namespace: $0.value)
    }
    return draft
  }
}
