import CLibxml2

/// The callbacks for declarations, references and errors.
///
/// The tree builder and the event parser share them.
///
/// Each calls libxml2's default callback with the document's parser, even while a parser for an entity is running.
/// Therefore an entity's content is parsed again for each reference, with the namespaces in scope there.
enum Callbacks {
  typealias State = UnsafeMutablePointer<ParserState>

  static func state(_ pointer: UnsafeMutableRawPointer?) -> State? {
    pointer?.assumingMemoryBound(to: ParserState.self)
  }

  /// Records the first failure that libxml2 reports while ``Library/run(_:_:_:)`` runs a call of the parser.
  ///
  /// It is the thread's handler, so libxml2 passes the pointer that ``Library/run(_:_:_:)`` was given. As a parser's own
  /// handler (`serror`) it would sometimes be passed something else: libxml2 2.9 passes its own parser in reports about
  /// validity, and in those of exhausted memory.
  static let report: xmlStructuredErrorFunc = { pointer, report in
    guard let state = Callbacks.state(pointer), state.pointee.failure == nil else { return }
    // The report is constant since libxml2 2.12.
    state.pointee.failure = ParseFailure(report.map { UnsafePointer($0) }, at: state.pointee.position)
  }

  /// Installs the callbacks in a parser, except for those of content.
  static func install(_ state: State, in context: xmlParserCtxtPtr) {
    guard let handler = context.pointee.sax else { return }
    context.pointee.userData = UnsafeMutableRawPointer(state)
    curlew_xml_silence(handler)
    // Without a handler of its own, a parser reports to the thread's: see `report`.
    handler.pointee.serror = nil
    // The default callbacks would load files, or expect the parser as their user data.
    handler.pointee.setDocumentLocator = nil
    handler.pointee.externalSubset = nil
    handler.pointee.isStandalone = nil
    handler.pointee.hasInternalSubset = nil
    handler.pointee.hasExternalSubset = nil
    handler.pointee.reference = nil
    handler.pointee.resolveEntity = { _, _, _ in nil }
    installDeclarations(handler)
    installReferences(handler)
  }

  private static func installDeclarations(_ handler: xmlSAXHandlerPtr) {
    handler.pointee.startDocument = { pointer in
      guard let state = Callbacks.state(pointer) else { return }
      xmlSAX2StartDocument(state.pointee.context)
    }
    handler.pointee.endDocument = { pointer in
      guard let state = Callbacks.state(pointer) else { return }
      xmlSAX2EndDocument(state.pointee.context)
    }
    handler.pointee.internalSubset = { pointer, name, publicID, systemID in
      guard let state = Callbacks.state(pointer) else { return }
      xmlSAX2InternalSubset(state.pointee.context, name, publicID, systemID)
    }
    handler.pointee.entityDecl = { pointer, name, type, publicID, systemID, content in
      guard let state = Callbacks.state(pointer), state.pointee.failure == nil else { return }
      // Character references can produce tags that the check of the document's bytes did not see.
      if let content, let excess = AttributeCheck.excess(in: content, state.pointee.options) {
        return state.pointee.stop(excess)
      }
      let context = state.pointee.context
      // The first declaration of an entity is binding.
      let isFirst = xmlGetDocEntity(context.pointee.myDoc, name) == nil
      xmlSAX2EntityDecl(context, name, type, publicID, systemID, content)
      guard isFirst, type == XML_INTERNAL_GENERAL_ENTITY.rawValue, let name, let content,
        var second = CarriageReturns.referring(content)
      else { return }
      state.pointee.hasCarriageReturns = true
      xmlSAX2EntityDecl(context, CarriageReturns.secondName(name), type, publicID, systemID, &second)
    }
    handler.pointee.notationDecl = { pointer, name, publicID, systemID in
      guard let state = Callbacks.state(pointer) else { return }
      xmlSAX2NotationDecl(state.pointee.context, name, publicID, systemID)
    }
    handler.pointee.attributeDecl = { pointer, element, name, type, kind, value, tree in
      guard let state = Callbacks.state(pointer), state.pointee.declareAttribute(of: element, values: tree) else {
        return xmlFreeEnumeration(tree)
      }
      xmlSAX2AttributeDecl(state.pointee.context, element, name, type, kind, value, tree)
    }
    handler.pointee.elementDecl = { pointer, name, type, content in
      guard let state = Callbacks.state(pointer) else { return }
      xmlSAX2ElementDecl(state.pointee.context, name, type, content)
    }
    handler.pointee.unparsedEntityDecl = { pointer, name, publicID, systemID, notation in
      guard let state = Callbacks.state(pointer) else { return }
      xmlSAX2UnparsedEntityDecl(state.pointee.context, name, publicID, systemID, notation)
    }
  }

  // libxml2's default lookup would load external entities.
  private static func installReferences(_ handler: xmlSAXHandlerPtr) {
    handler.pointee.getEntity = { pointer, name in
      guard let state = Callbacks.state(pointer) else { return nil }
      return state.pointee.refer(to: state.pointee.entity(name))
    }
    handler.pointee.getParameterEntity = { pointer, name in
      guard let state = Callbacks.state(pointer) else { return nil }
      return state.pointee.refer(to: xmlGetParameterEntity(state.pointee.context.pointee.myDoc, name))
    }
  }

  /// Installs the callbacks of content that build libxml2's tree.
  static func installTree(in context: xmlParserCtxtPtr) {
    guard let handler = context.pointee.sax else { return }
    handler.pointee.startElementNs = {
      pointer, name, prefix, uri, namespaceCount, namespaces, attributeCount, defaulted, attributes in
      guard let state = Callbacks.state(pointer), state.pointee.failure == nil else { return }
      guard
        state.pointee.open(
          name, prefix, uri, namespaces: namespaces, Int(namespaceCount), attributes: attributes, Int(attributeCount),
          defaulted: Int(defaulted))
      else { return }
      xmlSAX2StartElementNs(
        state.pointee.context, name, prefix, uri, namespaceCount, namespaces, attributeCount, defaulted, attributes)
    }
    handler.pointee.endElementNs = { pointer, name, prefix, uri in
      guard let state = Callbacks.state(pointer), state.pointee.failure == nil else { return }
      state.pointee.close()
      xmlSAX2EndElementNs(state.pointee.context, name, prefix, uri)
    }
    handler.pointee.comment = { pointer, text in
      guard let state = Callbacks.state(pointer), state.pointee.addNodes() else { return }
      xmlSAX2Comment(state.pointee.context, text)
    }
    handler.pointee.processingInstruction = { pointer, target, data in
      guard let state = Callbacks.state(pointer), state.pointee.addNodes() else { return }
      xmlSAX2ProcessingInstruction(state.pointee.context, target, data)
    }
    // White space is kept, and a CDATA section is ordinary text.
    let characters: charactersSAXFunc = { pointer, text, count in
      guard let state = Callbacks.state(pointer), state.pointee.failure == nil else { return }
      xmlSAX2Characters(state.pointee.context, text, count)
    }
    handler.pointee.characters = characters
    handler.pointee.ignorableWhitespace = characters
    handler.pointee.cdataBlock = characters
  }
}
