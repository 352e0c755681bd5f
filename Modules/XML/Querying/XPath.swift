/// An XPath 1.0 expression with its namespaces and variables.
///
/// ```swift
/// let query = XPath("//a:entry[@id = $id]", namespaces: ["a": "http://www.w3.org/2005/Atom"], variables: ["id": id])
/// for entry in try document.elements(query) { … }
/// ```
///
/// Pass values from outside as variables; never insert them into the expression.
public struct XPath: Sendable, Hashable {
  /// The expression.
  public var expression: String
  /// The namespaces of its prefixes; a name without a prefix is in no namespace.
  public var namespaces: [String: String]
  /// The values of its variables.
  public var variables: [String: String]
  /// The maximum number of evaluation steps; 10 million by default.
  ///
  /// They are counted by libxml2. An evaluation of 10 million steps takes about a second.
  public var maximumSteps = 10_000_000
  /// The maximum size of the expression in bytes; 64 KiB by default.
  public var maximumBytes = 65_536

  /// Creates an expression; it is compiled when it is evaluated.
  public init(_ expression: String, namespaces: [String: String] = [:], variables: [String: String] = [:]) {
    self.expression = expression
    self.namespaces = namespaces
    self.variables = variables
  }
}

extension XPath: ExpressibleByStringLiteral {
  /// Creates an expression without prefixes and variables.
  public init(stringLiteral expression: String) { self.init(expression) }
}

/// The value of an expression.
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

/// A node that an expression selects.
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
