import CLibxml2

/// What an element, or a document beside its element, holds.
public enum XMLNode: Sendable, Hashable {
  /// An element.
  case element(XMLElement)
  /// Text; that of CDATA sections and of entities included, never two in a row.
  case text(String)
  /// A comment, without what delimits it.
  case comment(String)
  /// A processing instruction.
  case processingInstruction(target: String, data: String)

  /// A node of the tree; nil for what is none of the four.
  init?(_ node: xmlNodePtr, in tree: Tree) {
    switch node.pointee.type {
    case XML_ELEMENT_NODE: self = .element(XMLElement(node, in: tree))
    case XML_TEXT_NODE, XML_CDATA_SECTION_NODE: self = .text(String(xml: node.pointee.content) ?? "")
    case XML_COMMENT_NODE: self = .comment(String(xml: node.pointee.content) ?? "")
    case XML_PI_NODE:
      self = .processingInstruction(
        target: String(xml: node.pointee.name) ?? "", data: String(xml: node.pointee.content) ?? "")
    default: return nil
    }
  }
}

/// Nodes that follow one another, read from the tree as they are asked for.
public struct XMLNodes: Sequence, @unchecked Sendable {
  // Safe because the tree is not written to any more, and the sequence keeps it.
  let tree: Tree
  let first: xmlNodePtr?

  /// Begins with the first.
  public func makeIterator() -> Iterator { Iterator(tree: tree, node: first) }

  /// Walks the nodes.
  public struct Iterator: IteratorProtocol {
    let tree: Tree
    var node: xmlNodePtr?

    /// The next node; nil at the end.
    public mutating func next() -> XMLNode? {
      while let current = node {
        node = current.pointee.next
        if let found = XMLNode(current, in: tree) { return found }
      }
      return nil
    }
  }
}

/// Elements that follow one another, read from the tree as they are asked for.
public struct XMLElements: Sequence, @unchecked Sendable {
  // Safe because the tree is not written to any more, and the sequence keeps it.
  let tree: Tree
  let first: xmlNodePtr?
  let name: XMLName?

  /// Begins with the first.
  public func makeIterator() -> Iterator { Iterator(tree: tree, node: first, name: name) }

  /// Walks the elements.
  public struct Iterator: IteratorProtocol {
    let tree: Tree
    var node: xmlNodePtr?
    let name: XMLName?

    /// The next element; nil at the end.
    public mutating func next() -> XMLElement? {
      while let current = node {
        node = current.pointee.next
        guard current.pointee.type == XML_ELEMENT_NODE else { continue }
        if let name {
          guard xmlStrEqual(current.pointee.name, name.localName) == 1 else { continue }
          let uri = current.pointee.ns?.pointee.href
          guard name.namespace.map({ xmlStrEqual(uri, $0) == 1 }) ?? (uri == nil) else { continue }
        }
        return XMLElement(current, in: tree)
      }
      return nil
    }
  }
}

extension XMLElement {
  /// What it holds, in document order.
  public var children: XMLNodes { XMLNodes(tree: tree, first: node.pointee.children) }

  /// The elements it holds.
  public var elements: XMLElements { XMLElements(tree: tree, first: node.pointee.children, name: nil) }

  /// The elements of a name that it holds.
  public func elements(_ name: XMLName) -> XMLElements {
    XMLElements(tree: tree, first: node.pointee.children, name: name)
  }

  /// The first element of a name that it holds; nil when there is none.
  public func first(_ name: XMLName) -> XMLElement? {
    var iterator = elements(name).makeIterator()
    return iterator.next()
  }
}
