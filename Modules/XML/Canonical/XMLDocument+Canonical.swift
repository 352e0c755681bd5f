public import FoundationEssentials

extension XMLDocument {
  /// The document in Canonical XML 1.0.
  ///
  /// UTF-8 without a declaration, each reference and default written out, attributes and namespaces in one order.
  ///
  /// - Parameter keepsComments: Whether comments are part of it; the canonical form itself has none.
  /// - Throws: ``CanonicalXMLError`` for a document with a relative namespace name, which has no canonical form.
  public func canonical(keepsComments: Bool = false) throws(CanonicalXMLError) -> Data {
    try RelativeNamespace.refuse(in: tree)
    var writer = CanonicalWriter(keepsComments: keepsComments)
    writer.write(tree)
    return Data(writer.bytes)
  }
}

extension XMLElement {
  /// The element and all within it in Canonical XML 1.0, with the namespaces it stands in.
  ///
  /// As a document subset of just these nodes: namespaces in scope are declared on the element, and `xml:` attributes of
  /// the elements around it are its own unless it has them (§2.4).
  ///
  /// - Parameter keepsComments: Whether comments are part of it; the canonical form itself has none.
  /// - Throws: ``CanonicalXMLError`` when the document has a relative namespace name anywhere, which has no canonical form.
  public func canonical(keepsComments: Bool = false) throws(CanonicalXMLError) -> Data {
    try RelativeNamespace.refuse(in: tree)
    var writer = CanonicalWriter(keepsComments: keepsComments)
    writer.write(apex: node)
    return Data(writer.bytes)
  }
}

/// Why a document has no canonical form.
public struct CanonicalXMLError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, in words.
  public let reason: String
  /// The reason.
  public var description: String { reason }
}
