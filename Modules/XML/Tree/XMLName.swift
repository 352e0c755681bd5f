/// The name of an element or attribute: a local name within a namespace.
///
/// Two names are the same when local name and namespace are; the prefix only says how the name was, or is to be, written
/// (Namespaces in XML 1.0 §2.1).
public struct XMLName: Sendable {
  /// The name without a prefix.
  public var localName: String
  /// The namespace name, a URI; nil for a name in no namespace.
  public var namespace: String?
  /// The prefix it is written with; nil for the default namespace or none.
  public var prefix: String?

  /// Makes a name; it is checked when it is written.
  public init(_ localName: String, namespace: String? = nil, prefix: String? = nil) {
    self.localName = localName
    self.namespace = namespace
    self.prefix = prefix
  }

  /// The name as it is written, `prefix:local`.
  public var qualifiedName: String { prefix.map { $0 + ":" + localName } ?? localName }

  /// The namespace of `xml:lang`, `xml:space` and the like.
  public static let xmlNamespace = "http://www.w3.org/XML/1998/namespace"
}

extension XMLName: Hashable {
  /// Whether local name and namespace are the same.
  public static func == (left: XMLName, right: XMLName) -> Bool {
    left.localName == right.localName && left.namespace == right.namespace
  }

  /// Hashes local name and namespace.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(localName)
    hasher.combine(namespace)
  }
}

extension XMLName: ExpressibleByStringLiteral {
  /// A name in no namespace.
  public init(stringLiteral localName: String) { self.init(localName) }
}

extension XMLName: CustomStringConvertible {
  /// `{namespace}local`, or the local name alone.
  public var description: String { namespace.map { "{\($0)}\(localName)" } ?? localName }
}
