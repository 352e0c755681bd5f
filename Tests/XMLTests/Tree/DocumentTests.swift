import CurlewXML
import FoundationEssentials
import Testing

@Suite struct DocumentTests {
  static let feed = """
    <?xml version="1.0" encoding="UTF-8" standalone="no"?>
    <!DOCTYPE feed PUBLIC "-//x" "feed.dtd" [<!ENTITY who "Curlew"><!ATTLIST entry lang CDATA "en">]>
    <!-- before --><?style sheet?>
    <feed xmlns="urn:feed" xmlns:m="urn:m">
      <entry id="1" m:rank="9">A &lt; <![CDATA[B]]> &who;</entry>
      <m:entry/><!-- within -->
      <entry id="2"><b>bold</b></entry>
    </feed>
    """

  @Test func `a document shows its parts`() throws {
    let document = try XMLDocument(parsing: Data(Self.feed.utf8))
    #expect(document.version == "1.0" && document.encoding == "UTF-8" && document.isStandalone == false)
    #expect(document.documentType?.publicID == "-//x")
    let kinds = document.nodes.map { node in
      switch node {
      case .comment(let text): text
      case .processingInstruction(let target, let data): target + "=" + data
      case .element(let element): element.localName
      case .text(let text): text
      }
    }
    #expect(kinds == [" before ", "style=sheet", "feed"])
  }

  @Test func `elements show names, attributes and text`() throws {
    let root = try XMLDocument(parsing: Self.feed).root
    #expect(root.name == XMLName("feed", namespace: "urn:feed") && root.parent == nil)
    #expect(root.namespaceDeclarations.map(\.namespace) == ["urn:feed", "urn:m"])
    let entries = Array(root.elements(XMLName("entry", namespace: "urn:feed")))
    #expect(entries.count == 2 && entries.first?.line == 5)
    let entry = try #require(entries.first)
    #expect(entry.text == "A < B Curlew" && entry.children.map { $0 } == [.text("A < B Curlew")])
    #expect(entry.attribute("id") == "1" && entry.attribute("rank") == nil)
    #expect(entry.attribute("rank", namespace: "urn:m") == "9" && entry.attribute("lang") == "en")
    #expect(entry.attributes.map(\.name.qualifiedName) == ["id", "m:rank", "lang"])
    #expect(entry.parent == root && entries.last?.first(XMLName("b", namespace: "urn:feed"))?.text == "bold")
    #expect(root.first("entry") == nil && root.elements.map(\.name.qualifiedName) == ["entry", "m:entry", "entry"])
  }

  @Test func `an element keeps its tree alive`() throws {
    func first() throws -> XMLElement { try #require(XMLDocument(parsing: "<a><b c='d'>e</b></a>").root.first("b")) }
    let element = try first()
    #expect(element.text == "e" && element.attribute("c") == "d" && element.parent?.localName == "a")
  }

  @Test func `an entity's elements are in the namespace of the place they are used in`() throws {
    let text =
      "<!DOCTYPE r [<!ENTITY e '<x p:y=\"1\"/>'>]><r><a xmlns='urn:1' xmlns:p='urn:p'>&e;&e;</a><b xmlns='urn:2' xmlns:p='urn:q'>&e;</b></r>"
    let document = try XMLDocument(parsing: text)
    let all = try document.elements("//*[local-name() = 'x']")
    #expect(all.map(\.namespace) == ["urn:1", "urn:1", "urn:2"])
    #expect(all.map { $0.attribute("y", namespace: "urn:q") } == [nil, nil, "1"])
  }

  @Test func `many tasks parse and read at once`() async throws {
    let shared = try XMLDocument(parsing: Self.feed)
    let faulty = Data("<a><b></a>".utf8)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for round in 0..<50 {
            let own = try XMLDocument(parsing: "<a n='\(task)'>\(round)</a>")
            #expect(own.root.attribute("n") == "\(task)" && own.root.text == "\(round)")
            #expect(throws: XMLError.self) { try XMLDocument(parsing: faulty) }
            #expect(try shared.elements("//*[@id]").count == 2)
            #expect(try shared.canonical().count > 100)
            #expect(throws: XPathError.self) { try shared.evaluate("//[") }
            #expect(shared.root.elements.map(\.text).count == 3)
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
