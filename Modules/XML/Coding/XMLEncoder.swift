public import FoundationEssentials

/// A type that writes some of its keys as attributes.
///
/// ```swift
/// extension Book: XMLAttributeCoding {
///   static func isAttribute(_ key: any CodingKey) -> Bool { key.stringValue == "id" }
/// }
/// ```
public protocol XMLAttributeCoding {
  /// Returns whether a key is written as an attribute; called for each encoded key.
  static func isAttribute(_ key: any CodingKey) -> Bool
}

/// Encodes `Encodable` values as XML documents.
///
/// Each key of a type is written as a part of the type's element:
///
/// | key | becomes |
/// |---|---|
/// | `name` | a child element; an attribute where the type's ``XMLAttributeCoding`` says so |
/// | `@name` | an attribute |
/// | `#text`, or empty | the text of the element |
/// | `p:name`, `@p:name` | the same in the namespace that ``namespaces`` gives for `p` |
///
/// An array is written as one element of its name for each of its elements; inside another array, or as the whole
/// value, its elements are named `item`. A value that is not encoded, such as a nil optional, is omitted; a value
/// encoded as nil is written with `xsi:nil="true"`. Numbers, booleans and dates have the notation of XML Schema, and
/// data is base64. ``XMLDecoder`` decodes the result to the same value.
public struct XMLEncoder: Sendable {
  /// The deepest nesting of an encoded value.
  ///
  /// Beyond it `EncodingError` is thrown.
  public static let maximumDepth = 512

  /// How a date is represented.
  public enum DateStrategy: Sendable {
    /// The format of RFC 3339 and XML Schema's `dateTime`: `2026-11-21T09:00:00Z`.
    case iso8601
    /// Seconds since 1970.
    case secondsSince1970
    /// Milliseconds since 1970.
    case millisecondsSince1970
    /// Encoded by the caller.
    case custom(@Sendable (Date) -> String)
  }

  /// How a date is encoded; as ISO 8601 by default.
  public var dateStrategy = DateStrategy.iso8601
  /// The namespace of elements whose key has no prefix; none by default.
  public var defaultNamespace: String?
  /// The namespaces of prefixes in keys, declared by the document's element.
  public var namespaces: [String: String] = [:]
  /// Values that encoded types find in `Encoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Creates an encoder.
  public init() {}

  /// Returns the value as a document in UTF-8.
  ///
  /// - Parameter rootName: The name of the document's element; nil means the name of the type.
  /// - Throws: `EncodingError` for a value that XML cannot represent, such as an object as an attribute;
  ///   ``XMLWritingError`` for a key that is not an XML name and a text with a character that XML does not allow.
  public func data(
    _ value: some Encodable, rootName: String? = nil, as format: XMLFormat = .compact
  ) throws -> Data {
    try draft(value, rootName: rootName).data(format)
  }

  /// Returns the value as an element that can still be changed.
  ///
  /// - Parameter rootName: The name of the element; nil means the name of the type.
  /// - Throws: `EncodingError` for a value that XML cannot represent.
  public func draft<Value: Encodable>(_ value: Value, rootName: String? = nil) throws -> XMLElementBuilder {
    let node = EncodingNode()
    try ElementEncoder(node, settings: self, attributes: nil).box(value)
    var draft = try DraftMaker(settings: self).root(rootName ?? String(describing: Value.self), node)
    draft.declarations += namespaces.sorted { $0.key < $1.key }.map {
      XMLNamespaceDeclaration(prefix: $0.key, namespace: $0.value)
    }
    return draft
  }
}
