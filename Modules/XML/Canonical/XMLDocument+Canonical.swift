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
