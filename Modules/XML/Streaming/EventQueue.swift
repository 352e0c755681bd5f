import CLibxml2

/// The events that the parser has produced and the caller has not taken yet.
final class EventQueue {
  /// The maximum size of a text event in bytes; a longer text is split.
  private static let longestText = 65_536

  private var events: [XMLEvent] = []
  private var taken = 0
  private var text: [UInt8] = []
  /// Whether a text was not valid UTF-8.
  private(set) var isMalformed = false

  /// Removes and returns the next event; nil while no event is complete.
  func next() -> XMLEvent? {
    guard taken < events.count else {
      events.removeAll(keepingCapacity: true)
      taken = 0
      return nil
    }
    defer { taken += 1 }
    return events[taken]
  }

  /// Removes all events.
  func clear() {
    events = []
    taken = 0
    text = []
  }

  func add(_ event: XMLEvent) {
    flush()
    events.append(event)
  }

  func add(text bytes: UnsafeBufferPointer<xmlChar>) {
    text += bytes
    // A long text is split at the same positions however it arrives.
    while text.count > Self.longestText {
      var end = Self.longestText
      while end > Self.longestText - 4, text[end] & 0xC0 == 0x80 { end -= 1 }
      append(text[..<end])
      text.removeSubrange(..<end)
    }
  }

  private func flush() {
    guard !text.isEmpty else { return }
    append(text[...])
    text.removeAll(keepingCapacity: true)
  }

  private func append(_ text: ArraySlice<UInt8>) {
    guard let text = String(validating: text, as: UTF8.self) else {
      isMalformed = true
      return
    }
    events.append(.text(text))
  }
}

extension Callbacks {
  /// Installs the content callbacks that put events into the queue.
  static func installEvents(in context: xmlParserCtxtPtr) {
    guard let handler = context.pointee.sax else { return }
    handler.pointee.startElementNs = {
      pointer, name, prefix, uri, namespaceCount, namespaces, attributeCount, defaulted, attributes in
      guard let state = Callbacks.state(pointer), state.pointee.failure == nil else { return }
      guard
        state.pointee.open(
          name, prefix, uri, namespaces: namespaces, Int(namespaceCount), attributes: attributes, Int(attributeCount),
          defaulted: Int(defaulted))
      else { return }
      state.pointee.events?.add(
        .startElement(
          XMLName(name, prefix, uri), attributes: Callbacks.attributes(attributes, Int(attributeCount)),
          declarations: Callbacks.declarations(namespaces, Int(namespaceCount))))
    }
    handler.pointee.endElementNs = { pointer, name, prefix, uri in
      guard let state = Callbacks.state(pointer), state.pointee.failure == nil else { return }
      state.pointee.close()
      state.pointee.events?.add(.endElement(XMLName(name, prefix, uri)))
    }
    handler.pointee.comment = { pointer, text in
      guard let state = Callbacks.state(pointer), state.pointee.isInContent else { return }
      state.pointee.events?.add(.comment(String(xml: text) ?? ""))
    }
    handler.pointee.processingInstruction = { pointer, target, data in
      guard let state = Callbacks.state(pointer), state.pointee.isInContent else { return }
      state.pointee.events?.add(
        .processingInstruction(target: String(xml: target) ?? "", data: String(xml: data) ?? ""))
    }
    let characters: charactersSAXFunc = { pointer, text, count in
      guard let state = Callbacks.state(pointer), state.pointee.failure == nil, let text else { return }
      state.pointee.events?.add(text: UnsafeBufferPointer(start: text, count: max(0, Int(count))))
    }
    handler.pointee.characters = characters
    handler.pointee.ignorableWhitespace = characters
    handler.pointee.cdataBlock = characters
  }

  private static func attributes(
    _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, _ count: Int
  ) -> [XMLAttribute] {
    guard let attributes, count > 0 else { return [] }
    return (0..<count).map { index in
      // Each attribute has five pointers: local name, prefix, namespace, and the start and end of the value.
      let parts = attributes + index * 5
      let name = XMLName(parts[0], parts[1], parts[2])
      guard let start = parts[3], let end = parts[4] else { return XMLAttribute(name, "") }
      return XMLAttribute(name, String(decoding: UnsafeBufferPointer(start: start, count: end - start), as: UTF8.self))
    }
  }

  private static func declarations(
    _ namespaces: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, _ count: Int
  ) -> [XMLNamespaceDeclaration] {
    guard let namespaces, count > 0 else { return [] }
    return (0..<count).map { index in
      XMLNamespaceDeclaration(
        prefix: String(xml: namespaces[index * 2]), namespace: String(xml: namespaces[index * 2 + 1]) ?? "")
    }
  }
}

extension ParserState {
  /// Whether the parser is outside the document type declaration.
  fileprivate var isInContent: Bool { failure == nil && context.pointee.inSubset == 0 }
}

extension XMLName {
  fileprivate init(
    _ name: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?, _ uri: UnsafePointer<xmlChar>?
  ) {
    self.init(String(xml: name) ?? "", namespace: String(xml: uri), prefix: String(xml: prefix))
  }
}
