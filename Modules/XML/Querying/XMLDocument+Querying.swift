import CLibxml2

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
