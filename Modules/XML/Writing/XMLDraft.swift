import CLibxml2
public import FoundationEssentials

/// An element in the making: a value that is filled and then written.
///
/// Nothing put into it can become markup; names and characters are checked when it is written.
///
/// ```swift
/// var order = XMLDraft("order", attributes: [XMLAttribute("id", "7")])
/// order.append(XMLDraft("item", text: "tea & milk"))
/// let data = try order.data()
/// ```
public struct XMLDraft: Sendable, Hashable {
  /// What an element holds.
  public enum Child: Sendable, Hashable {
    /// An element.
    case element(XMLDraft)
    /// Text.
    case text(String)
    /// A comment.
    case comment(String)
    /// A processing instruction.
    case processingInstruction(target: String, data: String)
  }

  /// Its name; the namespace is declared where that is needed.
  public var name: XMLName
  /// Its attributes.
  public var attributes: [XMLAttribute]
  /// Namespaces declared here though no name may need them, as for names within values.
  public var declarations: [XMLNamespaceDeclaration]
  /// What it holds.
  public var children: [Child]

  /// Makes an element.
  public init(
    _ name: XMLName, attributes: [XMLAttribute] = [], declarations: [XMLNamespaceDeclaration] = [],
    children: [Child] = []
  ) {
    self.name = name
    self.attributes = attributes
    self.declarations = declarations
    self.children = children
  }

  /// Makes an element that holds a text.
  public init(_ name: XMLName, attributes: [XMLAttribute] = [], text: String) {
    self.init(name, attributes: attributes, children: [.text(text)])
  }

  /// Adds an element at the end.
  public mutating func append(_ element: XMLDraft) { children.append(.element(element)) }
  /// Adds a text at the end.
  public mutating func append(text: String) { children.append(.text(text)) }

  /// The element as a document in UTF-8.
  ///
  /// - Throws: ``XMLWritingError``.
  public func data(_ format: XMLFormat = .compact) throws(XMLWritingError) -> Data {
    var writer = XMLWriter(format)
    try writer.write(self)
    return Data(writer.bytes)
  }

  /// The element as a document, parsed.
  ///
  /// - Throws: ``XMLWritingError``; ``XMLError`` when it is beyond a limit of the parser.
  public func document(options: XMLParsingOptions = XMLParsingOptions()) throws -> XMLDocument {
    try XMLDocument(parsing: data(), options: options)
  }
}

extension XMLDraft {
  /// A copy of an element and all it holds, to be changed; of namespaces, what it declares itself and what names need.
  public init(_ element: XMLElement) {
    // One level of open drafts for each level of the tree, which the parser has limited.
    var open: [XMLDraft] = []
    var next: xmlNodePtr? = element.node
    while let node = next {
      if node.pointee.type == XML_ELEMENT_NODE {
        let view = XMLElement(node, in: element.tree)
        open.append(XMLDraft(view.name, attributes: view.attributes, declarations: view.namespaceDeclarations))
        if let first = node.pointee.children {
          next = first
          continue
        }
      } else if let child = XMLNode(node, in: element.tree).flatMap(Child.init), let last = open.indices.last {
        open[last].children.append(child)
      }
      next = Self.advance(from: node, to: element.node, &open)
    }
    self = open.first ?? XMLDraft(element.name)
  }

  /// Closes what ends behind a node and gives the next one; nil behind the end of `apex`.
  private static func advance(from node: xmlNodePtr, to apex: xmlNodePtr, _ open: inout [XMLDraft]) -> xmlNodePtr? {
    var current = node
    while true {
      if current.pointee.type == XML_ELEMENT_NODE, open.count > 1 {
        let closed = open.removeLast()
        open[open.count - 1].children.append(.element(closed))
      }
      if current == apex { return nil }
      if let sibling = current.pointee.next { return sibling }
      guard let parent = current.pointee.parent else { return nil }
      current = parent
    }
  }
}

extension XMLDraft.Child {
  /// What is no element.
  fileprivate init?(_ node: XMLNode) {
    switch node {
    case .element: return nil
    case .text(let text): self = .text(text)
    case .comment(let text): self = .comment(text)
    case .processingInstruction(let target, let data): self = .processingInstruction(target: target, data: data)
    }
  }
}

extension XMLElement {
  /// The element and all it holds as a document of its own, in UTF-8.
  ///
  /// - Throws: ``XMLWritingError`` when it is nested deeper than the format allows.
  public func data(_ format: XMLFormat = .compact) throws(XMLWritingError) -> Data {
    try XMLDraft(self).data(format)
  }
}
