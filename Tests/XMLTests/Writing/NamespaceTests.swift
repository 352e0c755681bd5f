import CurlewXML
import FoundationEssentials
import Testing

/// Names in namespaces come back from a reader as they were.
@Suite struct NamespaceTests {
  private func name(_ local: String, _ namespace: String?, _ prefix: String? = nil) -> XMLName {
    XMLName(local, namespace: namespace, prefix: prefix)
  }

  private func comesBack(_ draft: XMLElementBuilder) throws {
    func expectEqual(_ element: XMLElement, _ draft: XMLElementBuilder) {
      #expect(element.name == draft.name)
      #expect(Set(element.attributes) == Set(draft.attributes))
      let drafts = draft.children.compactMap { if case .element(let child) = $0 { child } else { nil } }
      for (element, draft) in zip(element.elements, drafts) { expectEqual(element, draft) }
    }
    expectEqual(try draft.document().root, draft)
  }

  @Test func `an attribute does not rebind the prefix of its element`() throws {
    let inner = XMLElementBuilder(name("b", "u", "p"), attributes: [XMLAttribute(name("c", "v", "p"), "1")])
    try comesBack(XMLElementBuilder(name("a", "u", "p"), children: [.element(inner)]))
  }

  @Test func `two attributes do not share a prefix for two namespaces`() throws {
    let attributes = [XMLAttribute(name("c", "u", "p"), "1"), XMLAttribute(name("c", "v", "p"), "2")]
    try comesBack(XMLElementBuilder("a", attributes: attributes))
    let outer = XMLElementBuilder(
      name("a", "u", "p"), children: [.element(XMLElementBuilder("b", attributes: attributes))])
    try comesBack(outer)
  }

  @Test func `a made-up prefix does not take one that is used`() throws {
    let attributes = [
      XMLAttribute(name("c", "u"), "1"), XMLAttribute(name("c", "v", "ns1"), "2"), XMLAttribute(name("c", "w"), "3"),
    ]
    try comesBack(XMLElementBuilder("a", attributes: attributes))
    try comesBack(
      XMLElementBuilder(name("a", "w", "ns1"), children: [.element(XMLElementBuilder("b", attributes: attributes))]))
  }

  @Test func `an empty namespace is none`() throws {
    let twice = XMLElementBuilder(
      "a", attributes: [XMLAttribute(name("b", ""), "1"), XMLAttribute(name("b", nil), "2")])
    let error = #expect(throws: XMLWritingError.self) { try twice.data() }
    #expect(error?.kind == .duplicateAttribute)
    #expect(name("b", "") == name("b", nil))
    let document = try XMLElementBuilder(name("a", ""), attributes: [XMLAttribute(name("b", ""), "1")]).document()
    #expect(document.root.attribute("b", namespace: "") == "1")
    #expect(document.root.name == name("a", nil))
  }

  @Test func `names that differ in their bytes alone are two`() throws {
    let names = ["\u{E9}", "e\u{301}"]
    #expect(name(names[0], nil) != name(names[1], nil))
    let draft = XMLElementBuilder("a", attributes: names.map { XMLAttribute(name($0, nil), "x") })
    let document = try draft.document()
    #expect(document.root.attributes.map { Array($0.name.localName.utf8) } == names.map { Array($0.utf8) })
    // Prefixes and namespace names too.
    let prefixed = XMLElementBuilder(
      "a", attributes: [XMLAttribute(name("b", "u", names[0]), "x"), XMLAttribute(name("b", "v", names[1]), "x")])
    #expect(try prefixed.document().root.attributes.count == 2)
  }

  /// To Swift, `>` and U+0338 behind it are one character, ≯, and `--` and U+0301 are two.
  @Test func `a combining mark does not let content become markup`() throws {
    let hostile: [XMLElementBuilder.Child] = [
      .processingInstruction(target: "p", data: "?>\u{338}<evil/><?q "), .comment("--\u{301}><evil/><!-- "),
    ]
    for child in hostile {
      let error = #expect(throws: XMLWritingError.self) { try XMLElementBuilder("a", children: [child]).data() }
      #expect(error?.kind == .invalidContent)
    }
  }

  @Test(arguments: [
    XMLElementBuilder.Child.comment("a\rb"), .processingInstruction(target: "p", data: "a\rb"),
    .processingInstruction(target: "p", data: " a"),
  ])
  func `what a reader would change and cannot be escaped is refused`(child: XMLElementBuilder.Child) throws {
    #expect(throws: XMLWritingError.self) { try XMLElementBuilder("a", children: [child]).data() }
  }

  @Test func `a namespace that no reader takes is refused`() throws {
    for uri in ["a b", "%", "http://[", "http://www.w3.org/2000/xmlns/"] {
      #expect(throws: XMLWritingError.self, "\(uri)") { try XMLElementBuilder(name("a", uri, "p")).data() }
    }
  }

  @Test(.timeLimit(.minutes(1))) func `many namespaces without a prefix take linear time`() throws {
    let attributes = (0..<20_000).map { XMLAttribute(name("a", "urn:\($0)"), "") }
    let text = String(decoding: try XMLElementBuilder("a", attributes: attributes).data(), as: UTF8.self)
    #expect(text.contains("xmlns:ns20000=\"urn:19999\""))
  }
}
