import CurlewXML
import FoundationEssentials
import Testing

@Suite struct XPathLimitTests {
  @Test func `an expression that takes too many steps, or finds too many nodes, is too expensive`() throws {
    let wide = try XMLDocument(
      parsing: "<a \((0..<200).map { "xmlns:p\($0)='u'" }.joined(separator: " "))>"
        + String(repeating: "<b/>", count: 20_000) + "</a>")
    for expression in ["count(//*[count(//*) > 0])", "//namespace::*/ancestor::*//namespace::*"] {
      let error = #expect(throws: XPathError.self) { try wide.evaluate(XPath(expression)) }
      #expect(error?.kind == .tooExpensive, "\(expression): \(String(describing: error))")
    }
  }

  @Test func `an expression that is nested too deep is too expensive`() throws {
    let document = try XMLDocument(parsing: "<a/>")
    let deep = String(repeating: "(", count: 20_000) + "1" + String(repeating: ")", count: 20_000)
    let error = #expect(throws: XPathError.self) { try document.evaluate(XPath(deep)) }
    #expect(error?.kind == .tooExpensive, "\(String(describing: error))")
  }

  @Test(arguments: ["//[", "a b", "p:x", "$v", "f()", "", "1 +"])
  func `an expression that breaks the grammar is invalid, and its message says so`(expression: String) throws {
    let document = try XMLDocument(parsing: "<a/>")
    let error = #expect(throws: XPathError.self) { try document.evaluate(XPath(expression)) }
    #expect(error?.kind == .invalid)
    #expect(error?.description.hasPrefix("not a valid XPath 1.0 expression") == true, "\(String(describing: error))")
  }
}
