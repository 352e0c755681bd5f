import CLibxml2

/// A child of an element, or of a document.
public enum XMLNode: Sendable, Hashable {
  /// An element.
  case element(XMLElement)
  /// Text, including CDATA sections and entities; never two in a row.
  case text(String)
  /// A comment, without its delimiters.
  case comment(String)
  /// A processing instruction.
  case processingInstruction(target: String, data: String)

  /// Creates a node from libxml2's; nil for any other kind of node.
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

/// Sibling nodes, read from the tree on access.
public struct XMLNodes: Sequence, @unchecked Sendable {
  // Safe because the tree is no longer written to, and the sequence keeps it alive.
  let tree: Tree
  let first: xmlNodePtr?

  /// Returns an iterator that starts at the first node.
  public func makeIterator() -> Iterator { Iterator(tree: tree, node: first) }

  /// Iterates over the nodes.
  public struct Iterator: IteratorProtocol {
    let tree: Tree
    var node: xmlNodePtr?

    /// Returns the next node; nil at the end.
    public mutating func next() -> XMLNode? {
      while let current = node {
        node = current.pointee.next
        if let found = XMLNode(current, in: tree) { return found }
      }
      return nil
    }
  }
}

/// Sibling elements, read from the tree on access.
public struct XMLElements: Sequence, @unchecked Sendable {
  // Safe because the tree is no longer written to, and the sequence keeps it alive.
  let tree: Tree
  let first: xmlNodePtr?
  let name: XMLName?

  /// Returns an iterator that starts at the first element.
  public func makeIterator() -> Iterator { Iterator(tree: tree, node: first, name: name) }

  /// Iterates over the elements.
  public struct Iterator: IteratorProtocol {
    let tree: Tree
    var node: xmlNodePtr?
    let name: XMLName?

    /// Returns the next element; nil at the end.
    public mutating func next() -> XMLElement? {
      while let current = node {
        node = current.pointee.next
        guard current.pointee.type == XML_ELEMENT_NODE else { continue }
        if let name {
          guard xmlStrEqual(current.pointee.name, name.localName) == 1 else { continue }
          let uri = current.pointee.ns?.pointee.href
          guard XMLName.isNamespace(uri, name.namespace) else { continue }
        }
        return XMLElement(current, in: tree)
      }
      return nil
    }
  }
}

extension XMLElement {
  /// Its child nodes, in document order.
  public var children: XMLNodes { XMLNodes(tree: tree, first: node.pointee.children) }

  /// Its child elements.
  public var elements: XMLElements { XMLElements(tree: tree, first: node.pointee.children, name: nil) }

  /// Returns its child elements of a name.
  public func elements(_ name: XMLName) -> XMLElements {
    XMLElements(tree: tree, first: node.pointee.children, name: name)
  }

  /// Returns its first child element of a name; nil if no child has the name.
  public func first(_ name: XMLName) -> XMLElement? {
    var iterator = elements(name).makeIterator()
    return iterator.next()
  }
}
