import CLibxml2

/// One evaluation of an expression, with its limits and what libxml2 has against it.
struct XPathEvaluation {
  private let context: xmlXPathContextPtr
  private let report: UnsafeMutablePointer<XPathError?>
  private let tree: Tree

  /// Evaluates an expression from a node of a tree.
  static func value(of path: XPath, at node: xmlNodePtr, in tree: Tree) throws(XPathError) -> XPathValue {
    guard path.expression.utf8.count <= path.maximumBytes else {
      throw XPathError(kind: .tooExpensive, reason: "the expression is longer than \(path.maximumBytes) bytes")
    }
    guard !path.expression.utf8.contains(0) else {
      throw XPathError(kind: .invalid, reason: "the expression holds a NUL")
    }
    guard let evaluation = XPathEvaluation(tree) else {
      throw XPathError(kind: .tooExpensive, reason: "there is no memory left")
    }
    defer { evaluation.end() }
    return try evaluation.run(path, at: node)
  }

  private init?(_ tree: Tree) {
    guard let context = xmlXPathNewContext(tree.document) else { return nil }
    self.context = context
    self.tree = tree
    report = .allocate(capacity: 1)
    report.initialize(to: nil)
    context.pointee.userData = UnsafeMutableRawPointer(report)
    context.pointee.error = XPathEvaluation.note
  }

  private func end() {
    xmlXPathFreeContext(context)
    report.deinitialize(count: 1)
    report.deallocate()
  }

  private static let note: xmlStructuredErrorFunc = { pointer, error in
    guard let report = pointer?.assumingMemoryBound(to: XPathError?.self), report.pointee == nil,
      let error = error?.pointee
    else { return }
    let code = Int(error.code) - Int(XML_XPATH_EXPRESSION_OK.rawValue)
    let isLimit =
      code == Int(XPATH_OP_LIMIT_EXCEEDED.rawValue) || code == Int(XPATH_MEMORY_ERROR.rawValue)
      || code == Int(XPATH_RECURSION_LIMIT_EXCEEDED.rawValue)
    let reason = Self.reason(error.message)
    report.pointee = XPathError(
      kind: isLimit ? .tooExpensive : .invalid, offset: error.int1 > 0 || !isLimit ? Int(error.int1) : nil,
      reason: reason)
  }

  private static func reason(_ message: UnsafePointer<CChar>?) -> String {
    let line = message.flatMap { String(cString: $0).split(separator: "\n").first.map(String.init) }
    return line ?? "the expression is not valid"
  }

  private func run(_ path: XPath, at node: xmlNodePtr) throws(XPathError) -> XPathValue {
    for (prefix, uri) in path.namespaces {
      guard XMLCharacters.isName(prefix), xmlXPathRegisterNs(context, prefix, uri) == 0 else {
        throw XPathError(kind: .invalid, reason: "\(prefix) is no prefix")
      }
    }
    for (name, value) in path.variables {
      guard XMLCharacters.isName(name), !value.utf8.contains(0),
        xmlXPathRegisterVariable(context, name, xmlXPathNewString(value)) == 0
      else {
        throw XPathError(kind: .invalid, reason: "\(name) is no variable")
      }
    }
    context.pointee.node = node
    context.pointee.opLimit = UInt(max(1, path.maximumSteps))
    let result = Library.run(report, Self.note) { xmlXPathEvalExpression(path.expression, context) }
    guard let result else {
      throw report.pointee ?? XPathError(kind: .invalid, reason: "the expression has no value")
    }
    defer { xmlXPathFreeObject(result) }
    if let error = report.pointee { throw error }
    return value(result)
  }

  private func value(_ object: xmlXPathObjectPtr) -> XPathValue {
    switch object.pointee.type {
    case XPATH_BOOLEAN: return .boolean(object.pointee.boolval != 0)
    case XPATH_NUMBER: return .number(object.pointee.floatval)
    case XPATH_NODESET:
      guard let set = object.pointee.nodesetval, let nodes = set.pointee.nodeTab else { return .nodes([]) }
      xmlXPathNodeSetSort(set)
      return .nodes((0..<Int(set.pointee.nodeNr)).compactMap { nodes[$0].flatMap(found) })
    default: return .string(String(freeing: xmlXPathCastToString(object)) ?? "")
    }
  }

  private func found(_ node: xmlNodePtr) -> XPathNode? {
    switch node.pointee.type {
    case XML_DOCUMENT_NODE: return .document
    case XML_ATTRIBUTE_NODE:
      return node.withMemoryRebound(to: xmlAttr.self, capacity: 1) { attribute in
        .attribute(
          XMLAttribute(XMLName(attribute.pointee.name, attribute.pointee.ns), XMLElement.value(attribute)))
      }
    case XML_NAMESPACE_DECL:
      return node.withMemoryRebound(to: xmlNs.self, capacity: 1) { namespace in
        .namespace(
          XMLNamespaceDeclaration(
            prefix: String(xml: namespace.pointee.prefix), namespace: String(xml: namespace.pointee.href) ?? ""))
      }
    default: return XMLNode(node, in: tree).map { .node($0) }
    }
  }
}
