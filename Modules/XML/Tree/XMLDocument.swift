import CLibxml2
public import CurlewCore
public import FoundationEssentials

/// A parsed XML document that any number of tasks may read.
///
/// Its elements are views of libxml2's tree. The document's own entities are replaced by their content; nothing outside
/// it is ever loaded: no external entity, no document type definition, no network. A reference to something external,
/// expansion beyond its limit, and any violation of XML 1.0 (fifth edition) or Namespaces in XML 1.0 are errors.
///
/// ```swift
/// let document = try XMLDocument(parsing: data)
/// let names = document.root.elements(XMLName("item")).map(\.text)
/// ```
public struct XMLDocument: Sendable {
  let tree: Tree
  /// The outermost element.
  public let root: XMLElement

  /// Parses a document.
  ///
  /// - Parameters:
  ///   - charset: The encoding, if it is known from outside, such as from `Content-Type`. It overrides the document's
  ///     declaration, and a byte order mark overrides it (RFC 7303 §3).
  /// - Throws: ``XMLError`` with line and column.
  public init(
    parsing data: Data, charset: Charset? = nil, options: XMLParsingOptions = XMLParsingOptions()
  ) throws(XMLError) {
    // Rethrowing would lose the type of the error.
    let result = data.withUnsafeBytes { bytes in
      Result { () throws(XMLError) in try DocumentParser.parse(bytes, charset: charset, options) }
    }
    let tree = Tree(owning: try result.get())
    guard let root = xmlDocGetRootElement(tree.document) else {
      throw XMLError(.empty, line: 1, column: 1, "the document has no element")
    }
    self.tree = tree
    self.root = XMLElement(root, in: tree)
  }

  /// Parses a document that is a string; its declared encoding is ignored.
  ///
  /// - Throws: ``XMLError`` with line and column.
  public init(parsing text: String, options: XMLParsingOptions = XMLParsingOptions()) throws(XMLError) {
    try self.init(parsing: Data(text.utf8), charset: .utf8, options: options)
  }

  /// The version that the document declares, usually `1.0`.
  public var version: String { String(xml: tree.document.pointee.version) ?? "1.0" }

  /// The encoding that the document declares; nil when it declares none.
  public var encoding: String? { String(xml: tree.document.pointee.encoding) }

  /// The document's `standalone` declaration; nil when it has none.
  public var isStandalone: Bool? {
    switch tree.document.pointee.standalone {
    case 0: false
    case 1: true
    default: nil
    }
  }

  /// The element, and the comments and processing instructions around it.
  public var nodes: XMLNodes { XMLNodes(tree: tree, first: tree.document.pointee.children) }

  /// The document type declaration; nil if the document has none.
  public var documentType: XMLDocumentType? {
    guard let subset = xmlGetIntSubset(tree.document) else { return nil }
    return XMLDocumentType(
      name: String(xml: subset.pointee.name) ?? "", publicID: String(xml: subset.pointee.ExternalID),
      systemID: String(xml: subset.pointee.SystemID))
  }
}

/// The names in a document type declaration, which is not loaded.
public struct XMLDocumentType: Sendable, Hashable {
  /// The name of the document's element.
  public var name: String
  /// The public identifier; nil if the declaration has none.
  public var publicID: String?
  /// The system identifier, a URI reference; nil if the declaration has none.
  public var systemID: String?
}

/// Owns libxml2's tree of a document, for as long as a view refers to it.
final class Tree: @unchecked Sendable {
  // Safe because nothing writes to a tree once it is owned: views only read, the parser fills in what libxml2 would
  // otherwise add later, and queries and canonicalization keep their state in contexts of their own.
  let document: xmlDocPtr

  /// Takes ownership of a tree.
  init(owning document: xmlDocPtr) {
    self.document = document
  }

  deinit { xmlFreeDoc(document) }
}

extension String {
  /// Creates a string from libxml2's UTF-8; nil for a null pointer.
  init?(xml text: UnsafePointer<xmlChar>?) {
    guard let text else { return nil }
    self.init(cString: text)
  }

  /// Creates a string from a text that libxml2 allocated, and frees the original.
  init?(freeing text: UnsafeMutablePointer<xmlChar>?) {
    guard let text else { return nil }
    self.init(cString: text)
    curlew_xml_free(text)
  }
}
