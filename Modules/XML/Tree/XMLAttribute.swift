import CLibxml2

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
