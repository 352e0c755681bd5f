import CurlewXML
import Testing

@Suite struct XPathTests {
  private let document: XMLDocument

  init() throws {
    document = try XMLDocument(
      parsing: "<r xmlns:p='urn:p'><i n='1'>a</i><p:i n='2'>b</p:i><i n='3'>c<!--d--><?e f?></i></r>")
  }

  @Test func `expressions have the four types of values`() throws {
    #expect(try document.evaluate("count(//i)") == .number(2))
    #expect(try document.evaluate("string(//i[2])") == .string("c"))
    #expect(try document.evaluate("//i = 'c'") == .boolean(true))
    #expect(try document.elements("//i | //r").map(\.localName) == ["r", "i", "i"])
  }

  @Test func `all kinds of nodes are found`() throws {
    guard case .nodes(let nodes) = try document.evaluate("/ | //i[2]/node() | //i[2]/@n") else {
      Issue.record("no nodes")
      return
    }
    let wanted: [XPathNode] = [
      .document, .attribute(XMLAttribute("n", "3")), .node(.text("c")), .node(.comment("d")),
      .node(.processingInstruction(target: "e", data: "f")),
    ]
    #expect(nodes == wanted)
    guard case .nodes(let namespaces) = try document.evaluate("//i[1]/namespace::p") else {
      Issue.record("no nodes")
      return
    }
    #expect(namespaces == [.namespace(XMLNamespaceDeclaration(prefix: "p", namespace: "urn:p"))])
  }

  @Test func `prefixes and variables mean what they are given`() throws {
    #expect(try document.elements(XPath("//x:i", namespaces: ["x": "urn:p"])).map(\.text) == ["b"])
    let hostile = "' or '1'='1"
    #expect(try document.elements(XPath("//i[@n = $n]", variables: ["n": hostile])).isEmpty)
    #expect(try document.elements(XPath("//i[@n = $n]", variables: ["n": "3"])).map(\.text) == ["c"])
  }

  @Test func `an element is where its expression begins`() throws {
    let second = try #require(document.elements("//i").last)
    #expect(try second.evaluate("string(@n)") == .string("3"))
    #expect(try second.evaluate("count(preceding-sibling::*)") == .number(2))
    #expect(try second.elements("/r") == [document.root])
  }

  @Test(arguments: ["", "//[", "foo()", "$x", "q:a", "//i[", "'", "document('/etc/passwd')", "\0"])
  func `a text that is no expression is an error`(text: String) throws {
    let error = #expect(throws: XPathError.self) { try document.evaluate(XPath(text)) }
    #expect(error?.kind == .invalid)
    #expect(throws: XPathError.self) { try document.evaluate(XPath("//p:i", namespaces: ["a:b": "u"])) }
  }

  @Test func `evaluation ends at its limit`() throws {
    let many = try XMLDocument(parsing: "<r>\(String(repeating: "<a/>", count: 2000))</r>")
    var path = XPath("count(//a[count(//a[count(//a) > 1]) > 1])")
    path.maximumSteps = 100_000
    let error = #expect(throws: XPathError.self) { try many.evaluate(path) }
    #expect(error?.kind == .tooExpensive)
    let deep = XPath(String(repeating: "(", count: 30_000) + "1" + String(repeating: ")", count: 30_000))
    #expect(throws: XPathError.self) { try many.evaluate(deep) }
    #expect(throws: XPathError.self) { try many.evaluate(XPath(String(repeating: "1+", count: 40_000) + "1")) }
  }
}
