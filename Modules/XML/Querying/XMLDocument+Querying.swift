import CLibxml2

extension XMLDocument {
  /// What an expression evaluates to, from the document.
  ///
  /// - Throws: ``XPathError``.
  public func evaluate(_ path: XPath) throws(XPathError) -> XPathValue {
    let node = UnsafeMutableRawPointer(tree.document).assumingMemoryBound(to: xmlNode.self)
    return try XPathEvaluation.value(of: path, at: node, in: tree)
  }

  /// The elements that an expression finds, from the document; none when it finds other nodes or is no set of nodes.
  ///
  /// - Throws: ``XPathError``.
  public func elements(_ path: XPath) throws(XPathError) -> [XMLElement] { try evaluate(path).elements }
}

extension XMLElement {
  /// What an expression evaluates to, from this element.
  ///
  /// - Throws: ``XPathError``.
  public func evaluate(_ path: XPath) throws(XPathError) -> XPathValue {
    try XPathEvaluation.value(of: path, at: node, in: tree)
  }

  /// The elements that an expression finds, from this one; none when it finds other nodes or is no set of nodes.
  ///
  /// - Throws: ``XPathError``.
  public func elements(_ path: XPath) throws(XPathError) -> [XMLElement] { try evaluate(path).elements }
}

extension XPathValue {
  /// Those of the nodes that are elements.
  public var elements: [XMLElement] {
    guard case .nodes(let nodes) = self else { return [] }
    return nodes.compactMap { node in
      guard case .node(.element(let element)) = node else { return nil }
      return element
    }
  }
}
