import CLibxml2
public import CurlewCore
public import FoundationEssentials

/// An XML document, parsed once and read by as many tasks as like.
///
/// Its elements are views on libxml2's tree. Entities of the document's own are replaced by what they stand for; nothing
/// outside of it is ever loaded: no external entity, no document type definition, no network. References to what would
/// have to be loaded, expansion beyond its limit, and whatever breaks a rule of XML 1.0 (fifth edition) or of Namespaces in
/// XML 1.0 are errors.
///
/// ```swift
/// let document = try XMLDocument(parsing: data)
/// let names = document.root.elements("item").map(\.text)
/// ```
public struct XMLDocument: Sendable {
  let tree: Tree
  /// The document's element.
  public let root: XMLElement

  /// Parses a document.
  ///
  /// - Parameters:
  ///   - charset: The encoding when it is known from outside, as from `Content-Type`; it stands above what the document
  ///     declares and below a byte order mark (RFC 7303 §3).
  /// - Throws: ``XMLError`` with line and column.
  public init(
    parsing data: Data, charset: Charset? = nil, options: XMLParsingOptions = XMLParsingOptions()
  ) throws(XMLError) {
    // Not by rethrowing, which would lose the type of the error.
    let result = data.withUnsafeBytes { bytes in
      Result { () throws(XMLError) in try DocumentParser.parse(bytes, charset: charset, options) }
    }
    let tree = Tree(owning: try result.get())
    guard let root = xmlDocGetRootElement(tree.document) else {
      throw XMLError(.empty, line: 1, column: 1, "there is no element")
    }
    self.tree = tree
    self.root = XMLElement(root, in: tree)
  }

  /// Parses a document that is text already; what it declares as its encoding does not matter.
  ///
  /// - Throws: ``XMLError`` with line and column.
  public init(parsing text: String, options: XMLParsingOptions = XMLParsingOptions()) throws(XMLError) {
    try self.init(parsing: Data(text.utf8), charset: .utf8, options: options)
  }

  /// The version that the document declares, mostly `1.0`.
  public var version: String { String(xml: tree.document.pointee.version) ?? "1.0" }

  /// The encoding that the document declares; nil when it does not.
  public var encoding: String? { String(xml: tree.document.pointee.encoding) }

  /// What the document declares of its standing alone; nil when it does not.
  public var isStandalone: Bool? {
    switch tree.document.pointee.standalone {
    case 0: false
    case 1: true
    default: nil
    }
  }

  /// The element, and the comments and processing instructions around it.
  public var nodes: XMLNodes { XMLNodes(tree: tree, first: tree.document.pointee.children) }

  /// The document type declaration; nil when there is none.
  public var documentType: XMLDocumentType? {
    guard let subset = xmlGetIntSubset(tree.document) else { return nil }
    return XMLDocumentType(
      name: String(xml: subset.pointee.name) ?? "", publicID: String(xml: subset.pointee.ExternalID),
      systemID: String(xml: subset.pointee.SystemID))
  }
}

/// What a document type declaration names; it is not loaded.
public struct XMLDocumentType: Sendable, Hashable {
  /// The name of the document's element.
  public var name: String
  /// The public identifier; nil when there is none.
  public var publicID: String?
  /// The system identifier, a URI reference; nil when there is none.
  public var systemID: String?
}
