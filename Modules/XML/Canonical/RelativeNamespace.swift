import CLibxml2

/// Rejects documents with a relative namespace name (Canonical XML 1.0 §1.3).
enum RelativeNamespace {
  /// Checks a document.
  ///
  /// - Throws: ``CanonicalXMLError`` for the first relative name in document order.
  static func refuse(in tree: Tree) throws(CanonicalXMLError) {
    guard let root = xmlDocGetRootElement(tree.document) else { return }
    var node = root
    while true {
      if node.pointee.type == XML_ELEMENT_NODE {
        try check(node)
        if let child = node.pointee.children {
          node = child
          continue
        }
      }
      while node != root, node.pointee.next == nil, let parent = node.pointee.parent { node = parent }
      guard node != root, let next = node.pointee.next else { return }
      node = next
    }
  }

  private static func check(_ element: xmlNodePtr) throws(CanonicalXMLError) {
    var next = element.pointee.nsDef
    while let namespace = next {
      if let name = namespace.pointee.href, name.pointee != 0, !hasScheme(name) {
        throw CanonicalXMLError(
          reason:
            "the namespace name \(String(cString: name)) is relative; only a document with absolute namespace names has a canonical form"
        )
      }
      next = namespace.pointee.next
    }
  }

  /// Returns whether a URI starts with a scheme (RFC 3986 §3.1).
  private static func hasScheme(_ name: UnsafePointer<xmlChar>) -> Bool {
    var end = name
    while true {
      switch end.pointee {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): break
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
        guard end > name else { return false }
      default: return end > name && end.pointee == UInt8(ascii: ":")
      }
      end += 1
    }
  }
}
