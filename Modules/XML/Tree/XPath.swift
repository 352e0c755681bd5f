import CLibxml2
public import FoundationEssentials

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

extension XMLDocument {
  /// Evaluates an expression, starting at the document.
  ///
  /// - Throws: ``XPathError``.
  public func evaluate(_ path: XPath) throws(XPathError) -> XPathValue {
    let node = UnsafeMutableRawPointer(tree.document).assumingMemoryBound(to: xmlNode.self)
    return try XPathEvaluation.value(of: path, at: node, in: tree)
  }

  /// Returns the elements that an expression selects, starting at the document.
  ///
  /// The result is empty when the expression selects other nodes or has another type.
  ///
  /// - Throws: ``XPathError``.
  public func elements(_ path: XPath) throws(XPathError) -> [XMLElement] { try evaluate(path).elements }
}

extension XMLElement {
  /// Evaluates an expression, starting at this element.
  ///
  /// - Throws: ``XPathError``.
  public func evaluate(_ path: XPath) throws(XPathError) -> XPathValue {
    try XPathEvaluation.value(of: path, at: node, in: tree)
  }

  /// Returns the elements that an expression selects, starting at this element.
  ///
  /// The result is empty when the expression selects other nodes or has another type.
  ///
  /// - Throws: ``XPathError``.
  public func elements(_ path: XPath) throws(XPathError) -> [XMLElement] { try evaluate(path).elements }
}

extension XPathValue {
  /// The nodes that are elements.
  public var elements: [XMLElement] {
    guard case .nodes(let nodes) = self else { return [] }
    return nodes.compactMap { node in
      guard case .node(.element(let element)) = node else { return nil }
      return element
    }
  }
}

/// The failure of an XPath expression.
public struct XPathError: Error, Sendable, Hashable {
  /// The class of a failure; later versions may add more.
  public enum Kind: String, Sendable, Hashable {
    /// The expression is not valid XPath 1.0.
    ///
    /// Or it uses an unknown function, variable or prefix.
    case invalid
    /// The evaluation takes more steps or memory than the limits allow.
    case tooExpensive
  }

  /// The class of the failure.
  public var kind: Kind
  /// The offset in the expression in bytes, from 0; nil when it is unknown.
  public var offset: Int?
  /// A phrase that says what is wrong.
  public var reason: String
}

extension XPathError: CustomStringConvertible {
  /// The reason, and the offset if it is known.
  public var description: String { offset.map { "\(reason) (byte \($0) of the expression)" } ?? reason }
}

extension XPathError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
