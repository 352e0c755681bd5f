/// An XPath 1.0 expression with what its names mean.
///
/// ```swift
/// let query = XPath("//a:entry[@id = $id]", namespaces: ["a": "http://www.w3.org/2005/Atom"], variables: ["id": id])
/// for entry in try document.elements(query) { … }
/// ```
///
/// Values from outside belong in variables, never in the expression.
public struct XPath: Sendable, Hashable {
  /// The expression.
  public var expression: String
  /// Which namespaces its prefixes stand for; a name without a prefix is in no namespace.
  public var namespaces: [String: String]
  /// The texts its variables stand for.
  public var variables: [String: String]
  /// How many steps evaluation may take, as libxml2 counts them; 10 million by default, a matter of a second or so.
  public var maximumSteps = 10_000_000
  /// How many bytes the expression may have; 64 KiB by default.
  public var maximumBytes = 65_536

  /// Makes an expression; it is compiled when it is evaluated.
  public init(_ expression: String, namespaces: [String: String] = [:], variables: [String: String] = [:]) {
    self.expression = expression
    self.namespaces = namespaces
    self.variables = variables
  }
}

extension XPath: ExpressibleByStringLiteral {
  /// An expression without prefixes and variables.
  public init(stringLiteral expression: String) { self.init(expression) }
}

/// What an expression evaluates to.
public enum XPathValue: Sendable, Hashable {
  /// Nodes in document order.
  case nodes([XPathNode])
  /// A number; it may be NaN or infinite.
  case number(Double)
  /// A text.
  case string(String)
  /// True or false.
  case boolean(Bool)
}

/// A node that an expression finds.
public enum XPathNode: Sendable, Hashable {
  /// The document itself.
  case document
  /// A node of the tree.
  case node(XMLNode)
  /// An attribute of an element.
  case attribute(XMLAttribute)
  /// A namespace in scope.
  case namespace(XMLNamespaceDeclaration)
}
