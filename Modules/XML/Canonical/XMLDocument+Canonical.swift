import CLibxml2
public import FoundationEssentials

extension XMLDocument {
  /// The document in Canonical XML 1.0.
  ///
  /// - Parameter keepsComments: Whether comments are part of it; the canonical form itself has none.
  /// - Throws: ``CanonicalXMLError`` for a document with a relative namespace name, which has no canonical form.
  public func canonical(keepsComments: Bool = false) throws(CanonicalXMLError) -> Data {
    try CanonicalForm.data(tree, apex: nil, keepsComments)
  }
}

extension XMLElement {
  /// The element and all within it in Canonical XML 1.0, with the namespaces it stands in.
  ///
  /// - Parameter keepsComments: Whether comments are part of it; the canonical form itself has none.
  /// - Throws: ``CanonicalXMLError`` for a relative namespace name, which has no canonical form.
  public func canonical(keepsComments: Bool = false) throws(CanonicalXMLError) -> Data {
    try CanonicalForm.data(tree, apex: node, keepsComments)
  }
}

/// Why a document has no canonical form.
public struct CanonicalXMLError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, in words.
  public let reason: String
  /// The reason.
  public var description: String { reason }
}

private enum CanonicalForm {
  /// What the callbacks of one run share.
  struct Run {
    var apex: xmlNodePtr?
    var reason: String?
  }

  static func data(_ tree: Tree, apex: xmlNodePtr?, _ keepsComments: Bool) throws(CanonicalXMLError) -> Data {
    let run = UnsafeMutablePointer<Run>.allocate(capacity: 1)
    run.initialize(to: Run(apex: apex))
    defer {
      run.deinitialize(count: 1)
      run.deallocate()
    }
    guard let buffer = xmlAllocOutputBuffer(nil) else { throw CanonicalXMLError(reason: "there is no memory left") }
    defer { xmlOutputBufferClose(buffer) }
    let mode = Int32(bitPattern: XML_C14N_1_0.rawValue)
    let status = Library.run(run, note) {
      xmlC14NExecute(tree.document, apex == nil ? nil : isVisible, run, mode, nil, keepsComments ? 1 : 0, buffer)
    }
    guard status >= 0, let content = xmlOutputBufferGetContent(buffer) else {
      throw CanonicalXMLError(reason: run.pointee.reason ?? "the document has no canonical form")
    }
    return Data(bytes: content, count: xmlOutputBufferGetSize(buffer))
  }

  private static let note: xmlStructuredErrorFunc = { pointer, report in
    guard let run = pointer?.assumingMemoryBound(to: Run.self), run.pointee.reason == nil,
      let message = report?.pointee.message
    else { return }
    run.pointee.reason = String(cString: message).split(separator: "\n").first.map(String.init)
  }

  /// Whether a node is the apex or below it; attributes and namespaces are where their element is.
  private static let isVisible: xmlC14NIsVisibleCallback = { pointer, node, parent in
    guard let run = pointer?.assumingMemoryBound(to: Run.self), let apex = run.pointee.apex else { return 0 }
    var next = node?.pointee.type == XML_NAMESPACE_DECL || node?.pointee.type == XML_ATTRIBUTE_NODE ? parent : node
    while let current = next {
      if current == apex { return 1 }
      guard current.pointee.type != XML_DOCUMENT_NODE else { return 0 }
      next = current.pointee.parent
    }
    return 0
  }
}
