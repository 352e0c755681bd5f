import CLibxml2
public import FoundationEssentials

/// An element that can be changed and written.
///
/// Content can never become markup: writing escapes or rejects it, and checks names and characters.
///
/// ```swift
/// var order = XMLElementBuilder("order", attributes: [XMLAttribute("id", "7")])
/// order.append(XMLElementBuilder("item", text: "tea & milk"))
/// let data = try order.data()
/// ```
public struct XMLElementBuilder: Sendable, Hashable {
  /// A child of an element.
  public enum Child: Sendable, Hashable {
    /// An element.
    case element(XMLElementBuilder)
    /// Text.
    case text(String)
    /// A comment.
    case comment(String)
    /// A processing instruction.
    case processingInstruction(target: String, data: String)
  }

  /// Its name; its namespace is declared where necessary.
  public var name: XMLName
  /// Its attributes.
  public var attributes: [XMLAttribute]
  /// Namespaces to declare here even if no element or attribute name needs them.
  ///
  /// Names in attribute values, for example, may use their prefixes.
  public var declarations: [XMLNamespaceDeclaration]
  /// Its children.
  public var children: [Child]

  /// Creates an element.
  public init(
    _ name: XMLName, attributes: [XMLAttribute] = [], declarations: [XMLNamespaceDeclaration] = [],
    children: [Child] = []
  ) {
    self.name = name
    self.attributes = attributes
    self.declarations = declarations
    self.children = children
  }

  /// Creates an element that contains a text.
  public init(_ name: XMLName, attributes: [XMLAttribute] = [], text: String) {
    self.init(name, attributes: attributes, children: [.text(text)])
  }

  /// Appends an element.
  public mutating func append(_ element: XMLElementBuilder) { children.append(.element(element)) }
  /// Appends a text.
  public mutating func append(text: String) { children.append(.text(text)) }

  /// Returns the element as a document in UTF-8.
  ///
  /// - Throws: ``XMLWritingError``.
  public func data(_ format: XMLFormat = .compact) throws(XMLWritingError) -> Data {
    var writer = XMLWriter(format)
    try writer.write(self)
    return Data(writer.bytes)
  }

  /// Returns the element as a parsed document.
  ///
  /// - Throws: ``XMLWritingError``; ``XMLError`` when it exceeds a limit of the parser.
  public func document(options: XMLParsingOptions = XMLParsingOptions()) throws -> XMLDocument {
    try XMLDocument(parsing: data(), options: options)
  }
}

extension XMLElementBuilder {
  /// Copies an element and its content, so that they can be changed.
  ///
  /// The copy has the element's own namespace declarations and those that names need.
  public init(_ element: XMLElement) {
    // One open draft for each level of the tree, which the parser has limited.
    var open: [XMLElementBuilder] = []
    var next: xmlNodePtr? = element.node
    while let node = next {
      if node.pointee.type == XML_ELEMENT_NODE {
        let view = XMLElement(node, in: element.tree)
        open.append(XMLElementBuilder(view.name, attributes: view.attributes, declarations: view.namespaceDeclarations))
        if let first = node.pointee.children {
          next = first
          continue
        }
      } else if let child = XMLNode(node, in: element.tree).flatMap(Child.init), let last = open.indices.last {
        open[last].children.append(child)
      }
      next = Self.advance(from: node, to: element.node, &open)
    }
    self = open.first ?? XMLElementBuilder(element.name)
  }

  /// Closes the elements that end after a node, and returns the next node.
  ///
  /// Nil at the end of `apex`.
  private static func advance(
    from node: xmlNodePtr, to apex: xmlNodePtr, _ open: inout [XMLElementBuilder]
  ) -> xmlNodePtr? {
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

extension XMLElementBuilder.Child {
  /// Creates a child from a node that is not an element.
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
  /// Returns the element and its content as a document of its own, in UTF-8.
  ///
  /// - Throws: ``XMLWritingError`` when it is nested deeper than the format allows.
  public func data(_ format: XMLFormat = .compact) throws(XMLWritingError) -> Data {
    try XMLElementBuilder(self).data(format)
  }
}
