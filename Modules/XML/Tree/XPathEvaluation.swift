import CLibxml2

/// One evaluation of an expression, with its limits and libxml2's errors.
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
      throw XPathError(kind: .invalid, reason: "the expression contains a NUL")
    }
    guard let evaluation = XPathEvaluation(tree) else {
      throw XPathError(kind: .tooExpensive, reason: "the system has no memory left")
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
    if let reason = Self.limit(error.code) {
      report.pointee = XPathError(kind: .tooExpensive, reason: reason)
    } else {
      report.pointee = XPathError(kind: .invalid, offset: Int(error.int1), reason: Self.reason(error.code))
    }
  }

  /// Returns the limit that was exceeded; nil for any other error.
  private static func limit(_ code: Int32) -> String? {
    // libxml2 reports node sets of more than 10 million nodes as exhausted memory.
    if code == Int32(XML_ERR_NO_MEMORY.rawValue) {
      return "the expression selects more nodes, or takes more memory, than allowed"
    }
    switch UInt32(truncatingIfNeeded: Int(code) - Int(XML_XPATH_EXPRESSION_OK.rawValue)) {
    case XPATH_OP_LIMIT_EXCEEDED.rawValue: return "the expression takes more steps than allowed (XPath.maximumSteps)"
    case XPATH_MEMORY_ERROR.rawValue: return "the expression takes more memory than allowed"
    case XPATH_RECURSION_LIMIT_EXCEEDED.rawValue: return "the expression is nested deeper than allowed"
    default: return nil
    }
  }

  /// Returns the reason for libxml2's error code.
  private static func reason(_ code: Int32) -> String {
    let detail =
      switch UInt32(truncatingIfNeeded: Int(code) - Int(XML_XPATH_EXPRESSION_OK.rawValue)) {
      case XPATH_UNDEF_VARIABLE_ERROR.rawValue: "it uses a variable without a value; add it to XPath.variables"
      case XPATH_UNDEF_PREFIX_ERROR.rawValue: "it uses a prefix without a namespace; add it to XPath.namespaces"
      case XPATH_UNKNOWN_FUNC_ERROR.rawValue: "it calls a function that XPath 1.0 does not have"
      case XPATH_INVALID_ARITY.rawValue: "it calls a function with a wrong number of arguments"
      case XPATH_INVALID_TYPE.rawValue: "it uses a value of the wrong type"
      case XPATH_UNFINISHED_LITERAL_ERROR.rawValue, XPATH_START_LITERAL_ERROR.rawValue: "a quoted text does not end"
      case XPATH_NUMBER_ERROR.rawValue: "a number is not valid"
      case XPATH_INVALID_PREDICATE_ERROR.rawValue: "a predicate is not valid"
      default: "the grammar does not allow this token"
      }
    return "not a valid XPath 1.0 expression: " + detail
  }

  private func run(_ path: XPath, at node: xmlNodePtr) throws(XPathError) -> XPathValue {
    for (prefix, uri) in path.namespaces {
      guard XMLCharacters.isName(prefix), xmlXPathRegisterNs(context, prefix, uri) == 0 else {
        throw XPathError(
          kind: .invalid, reason: "\"\(prefix)\" is not a valid prefix; a prefix is an XML name without a colon")
      }
    }
    for (name, value) in path.variables {
      guard XMLCharacters.isName(name), !value.utf8.contains(0),
        xmlXPathRegisterVariable(context, name, xmlXPathNewString(value)) == 0
      else {
        throw XPathError(
          kind: .invalid,
          reason: "\"\(name)\" is not a valid variable name (an XML name without a colon), or its value contains a NUL")
      }
    }
    context.pointee.node = node
    context.pointee.opLimit = UInt(max(1, path.maximumSteps))
    let result = Library.run(report, Self.note) { xmlXPathEvalExpression(path.expression, context) }
    guard let result else {
      throw report.pointee ?? XPathError(kind: .invalid, reason: Self.reason(0))
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
