import CurlewXML
import FoundationEssentials
import Testing

@Suite struct WritingTests {
  private func text(_ draft: XMLElementBuilder, _ format: XMLFormat = .compact) throws -> String {
    let text = String(decoding: try draft.data(format), as: UTF8.self)
    #expect(text.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
    return String(text.dropFirst(39))
  }

  @Test func `texts and values cannot become markup, and come back as they were`() throws {
    let hostile = "]]></a><script>&amp;\"'\t\r\n\u{85}é😀<!--"
    let draft = XMLElementBuilder("a", attributes: [XMLAttribute("b", hostile)], text: hostile)
    let document = try draft.document()
    #expect(document.root.text == hostile && document.root.attribute("b") == hostile)
    #expect(document.root.elements.map(\.localName).isEmpty)
  }

  @Test(arguments: ["", "1a", "a b", "a>", "a:b", "-x", "a\u{0}", "\u{D7}", "xmlns"])
  func `what is no name is refused`(name: String) throws {
    #expect(throws: XMLWritingError.self) {
      try XMLElementBuilder("a", attributes: [XMLAttribute(XMLName(name), "")]).data()
    }
    guard name != "xmlns" else { return }
    #expect(throws: XMLWritingError.self) { try XMLElementBuilder(XMLName(name)).data() }
    #expect(throws: XMLWritingError.self) {
      try XMLElementBuilder(XMLName("a", namespace: "u", prefix: name + ":")).data()
    }
  }

  @Test func `what XML cannot hold is refused`() throws {
    func kind(_ draft: XMLElementBuilder) -> XMLWritingError.Kind? {
      do throws(XMLWritingError) {
        _ = try draft.data()
        return nil
      } catch { return error.kind }
    }
    #expect(kind(XMLElementBuilder("a", text: "\u{1}")) == .invalidCharacter)
    #expect(kind(XMLElementBuilder("a", attributes: [XMLAttribute("b", "\u{FFFE}")])) == .invalidCharacter)
    #expect(kind(XMLElementBuilder("a", children: [.comment("a--b")])) == .invalidContent)
    #expect(kind(XMLElementBuilder("a", children: [.comment("a-")])) == .invalidContent)
    #expect(
      kind(XMLElementBuilder("a", children: [.processingInstruction(target: "x", data: "?>")])) == .invalidContent)
    #expect(kind(XMLElementBuilder("a", children: [.processingInstruction(target: "XML", data: "")])) == .invalidName)
    #expect(
      kind(XMLElementBuilder("a", attributes: [XMLAttribute("b", ""), XMLAttribute("b", "")])) == .duplicateAttribute)
    let xmlns = "http://www.w3.org/2000/xmlns/"
    #expect(kind(XMLElementBuilder(XMLName("a", namespace: xmlns))) == .invalidNamespace)
    #expect(
      kind(XMLElementBuilder("a", declarations: [XMLNamespaceDeclaration(prefix: "p", namespace: "")]))
        == .invalidNamespace)
    var deep = XMLElementBuilder("a")
    for _ in 0..<511 { deep = XMLElementBuilder("a", children: [.element(deep)]) }
    #expect(kind(deep) == nil)
    #expect(kind(XMLElementBuilder("a", children: [.element(deep)])) == .tooDeep)
  }

  @Test func `namespaces are declared where they are needed`() throws {
    var root = XMLElementBuilder(XMLName("r", namespace: "urn:1"))
    root.append(XMLElementBuilder(XMLName("s", namespace: "urn:1")))
    root.append(XMLElementBuilder("plain"))
    root.append(
      XMLElementBuilder(
        XMLName("t", namespace: "urn:2", prefix: "p"),
        attributes: [
          XMLAttribute(XMLName("a", namespace: "urn:2"), "1"), XMLAttribute(XMLName("b", namespace: "urn:3"), "2"),
          XMLAttribute(XMLName("lang", namespace: XMLName.xmlNamespace), "de"),
          XMLAttribute(XMLName("c", namespace: "urn:4", prefix: "p"), "3"),
        ]))
    let wanted =
      "<r xmlns=\"urn:1\"><s/><plain xmlns=\"\"/><p:t xmlns:p=\"urn:2\" xmlns:ns1=\"urn:3\" xmlns:ns2=\"urn:4\" "
      + "p:a=\"1\" ns1:b=\"2\" xml:lang=\"de\" ns2:c=\"3\"/></r>"
    #expect(try text(root) == wanted)
    let again = XMLElementBuilder(try XMLDocument(parsing: wanted).root)
    #expect(try text(again) == wanted)
  }

  @Test func `indenting leaves text as it is`() throws {
    let draft = XMLElementBuilder(
      "a",
      children: [
        .element(XMLElementBuilder("b", text: "c")), .comment("d"),
        .element(XMLElementBuilder("e", children: [.text("f"), .element(XMLElementBuilder("g"))])),
      ])
    #expect(try text(draft, .pretty) == "<a>\n  <b>c</b>\n  <!--d-->\n  <e>f<g/></e>\n</a>\n")
  }
}
