import CLibxml2

/// An element of a document: a view of libxml2's tree, which it keeps alive.
///
/// It takes two words of memory; everything else is read from the tree on access. Two elements are equal when they are
/// the same node.
public struct XMLElement: @unchecked Sendable {
  // Safe because the tree is no longer written to, and the element keeps it alive.
  let tree: Tree
  let node: xmlNodePtr

  init(_ node: xmlNodePtr, in tree: Tree) {
    self.node = node
    self.tree = tree
  }

  /// Its name with namespace and prefix.
  public var name: XMLName { XMLName(node.pointee.name, node.pointee.ns) }
  /// Its name without a prefix.
  public var localName: String { String(xml: node.pointee.name) ?? "" }
  /// Its namespace; nil when it is in none.
  public var namespace: String? { String(xml: node.pointee.ns?.pointee.href) }
  /// The line on which its start tag ends, from 1.
  ///
  /// For an element that comes from an entity, it is the line of the reference.
  public var line: Int { max(1, xmlGetLineNo(node)) }

  /// The element that contains it; nil for the document's element.
  public var parent: XMLElement? {
    guard let parent = node.pointee.parent, parent.pointee.type == XML_ELEMENT_NODE else { return nil }
    return XMLElement(parent, in: tree)
  }

  /// All text inside it, including that of its descendants.
  public var text: String { String(freeing: xmlNodeGetContent(node)) ?? "" }
}

extension XMLElement: Hashable {
  /// Returns whether both are the same element of the same document.
  public static func == (left: XMLElement, right: XMLElement) -> Bool { left.node == right.node }
  /// Hashes the element's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(node) }
}

extension XMLName {
  /// Returns whether libxml2's namespace name is the wanted one.
  ///
  /// Nil and an empty name mean no namespace.
  static func isNamespace(_ uri: UnsafePointer<xmlChar>?, _ wanted: String?) -> Bool {
    guard let wanted, !wanted.isEmpty else { return uri == nil || uri?.pointee == 0 }
    return xmlStrEqual(uri, wanted) == 1
  }

  init(_ name: UnsafePointer<xmlChar>?, _ namespace: xmlNsPtr?) {
    self.init(
      String(xml: name) ?? "", namespace: String(xml: namespace?.pointee.href),
      prefix: String(xml: namespace?.pointee.prefix))
  }
}

// MARK: Attributes

extension XMLElement {
  /// Its attributes in document order, including defaults.
  public var attributes: [XMLAttribute] {
    var result: [XMLAttribute] = []
    var next = node.pointee.properties
    while let attribute = next {
      let name = XMLName(attribute.pointee.name, attribute.pointee.ns)
      result.append(XMLAttribute(name, Self.value(attribute)))
      next = attribute.pointee.next
    }
    return result
  }

  /// Returns an attribute's value; nil if the element has no such attribute.
  ///
  /// Without a namespace, it finds an attribute in no namespace.
  public func attribute(_ localName: String, namespace: String? = nil) -> String? {
    var next = node.pointee.properties
    while let attribute = next {
      let uri = attribute.pointee.ns?.pointee.href
      if XMLName.isNamespace(uri, namespace), xmlStrEqual(attribute.pointee.name, localName) == 1 {
        return Self.value(attribute)
      }
      next = attribute.pointee.next
    }
    return nil
  }

  /// The namespaces that the element itself declares.
  public var namespaceDeclarations: [XMLNamespaceDeclaration] {
    var result: [XMLNamespaceDeclaration] = []
    var next = node.pointee.nsDef
    while let namespace = next {
      result.append(
        XMLNamespaceDeclaration(
          prefix: String(xml: namespace.pointee.prefix), namespace: String(xml: namespace.pointee.href) ?? ""))
      next = namespace.pointee.next
    }
    return result
  }

  static func value(_ attribute: xmlAttrPtr) -> String {
    // There is usually one text; otherwise libxml2 joins them.
    guard let first = attribute.pointee.children else { return "" }
    if first.pointee.next == nil, first.pointee.type == XML_TEXT_NODE {
      return String(xml: first.pointee.content) ?? ""
    }
    return attribute.withMemoryRebound(to: xmlNode.self, capacity: 1) { String(freeing: xmlNodeGetContent($0)) ?? "" }
  }
}

/// An attribute of an element; namespace declarations are not attributes.
public struct XMLAttribute: Sendable, Hashable {
  /// Its name; without a prefix it is in no namespace.
  public var name: XMLName
  /// Its value, normalized according to XML 1.0 §3.3.3.
  public var value: String

  /// Creates an attribute; its name and value are checked when it is written.
  public init(_ name: XMLName, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A prefix bound to a namespace by an element.
public struct XMLNamespaceDeclaration: Sendable, Hashable {
  /// The prefix; nil is the default namespace.
  public var prefix: String?
  /// The namespace name; empty undeclares the default namespace.
  public var namespace: String

  /// Creates a declaration; it is checked when it is written.
  public init(prefix: String?, namespace: String) {
    self.prefix = prefix
    self.namespace = namespace
  }
}
