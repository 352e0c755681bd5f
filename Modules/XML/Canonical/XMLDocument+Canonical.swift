import CLibxml2
public import FoundationEssentials

extension XMLDocument {
  /// Returns the document in Canonical XML 1.0.
  ///
  /// The result is UTF-8 without a declaration; references and defaults are written out, and attributes and namespaces
  /// are sorted.
  ///
  /// - Parameter keepsComments: Whether comments are included; the standard form omits them.
  /// - Throws: ``CanonicalXMLError`` for a document with a relative namespace name, which has no canonical form.
  public func canonical(keepsComments: Bool = false) throws(CanonicalXMLError) -> Data {
    try RelativeNamespace.refuse(in: tree)
    var writer = CanonicalWriter(keepsComments: keepsComments)
    writer.write(tree)
    return Data(writer.bytes)
  }
}

extension XMLElement {
  /// Returns the element and its content in Canonical XML 1.0.
  ///
  /// It is treated as a document subset: the element declares all namespaces in scope, and inherits the `xml:`
  /// attributes of its ancestors that it does not set itself (§2.4).
  ///
  /// - Parameter keepsComments: Whether comments are included; the standard form omits them.
  /// - Throws: ``CanonicalXMLError`` when the document has a relative namespace name anywhere; it then has no canonical
  ///   form.
  public func canonical(keepsComments: Bool = false) throws(CanonicalXMLError) -> Data {
    try RelativeNamespace.refuse(in: tree)
    var writer = CanonicalWriter(keepsComments: keepsComments)
    writer.write(apex: node)
    return Data(writer.bytes)
  }
}

/// Why a document has no canonical form.
public struct CanonicalXMLError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A phrase that says what is wrong.
  public let reason: String
  /// The reason.
  public var description: String { reason }
}

extension CanonicalXMLError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}

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
