import CLibxml2

/// An element of a document: a view on libxml2's tree, which it keeps alive.
///
/// It costs two words; everything else is read from the tree when it is asked for. Equal elements are the same one.
public struct XMLElement: @unchecked Sendable {
  // Safe because the tree is not written to any more, and the element keeps it.
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
  /// The line its start tag ends on, from 1; that of the reference for an element out of an entity.
  public var line: Int { max(1, xmlGetLineNo(node)) }

  /// The element it is in; nil for the document's own.
  public var parent: XMLElement? {
    guard let parent = node.pointee.parent, parent.pointee.type == XML_ELEMENT_NODE else { return nil }
    return XMLElement(parent, in: tree)
  }

  /// All the text within it, that of its descendants included.
  public var text: String { String(freeing: xmlNodeGetContent(node)) ?? "" }
}

extension XMLElement: Hashable {
  /// Whether both are the same element of the same document.
  public static func == (left: XMLElement, right: XMLElement) -> Bool { left.node == right.node }
  /// Hashes the element's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(node) }
}

extension XMLName {
  init(_ name: UnsafePointer<xmlChar>?, _ namespace: xmlNsPtr?) {
    self.init(
      String(xml: name) ?? "", namespace: String(xml: namespace?.pointee.href),
      prefix: String(xml: namespace?.pointee.prefix))
  }
}

// MARK: Attributes

extension XMLElement {
  /// Its attributes in document order, defaulted ones included.
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

  /// The value of an attribute in no namespace, or in a given one; nil when there is none.
  public func attribute(_ localName: String, namespace: String? = nil) -> String? {
    var next = node.pointee.properties
    while let attribute = next {
      let uri = attribute.pointee.ns?.pointee.href
      let isInNamespace = namespace.map { xmlStrEqual(uri, $0) == 1 } ?? (uri == nil)
      if isInNamespace, xmlStrEqual(attribute.pointee.name, localName) == 1 { return Self.value(attribute) }
      next = attribute.pointee.next
    }
    return nil
  }

  /// What it declares of namespaces itself.
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
    // Mostly one text; libxml2 puts it together otherwise.
    guard let first = attribute.pointee.children else { return "" }
    if first.pointee.next == nil, first.pointee.type == XML_TEXT_NODE {
      return String(xml: first.pointee.content) ?? ""
    }
    return attribute.withMemoryRebound(to: xmlNode.self, capacity: 1) { String(freeing: xmlNodeGetContent($0)) ?? "" }
  }
}
