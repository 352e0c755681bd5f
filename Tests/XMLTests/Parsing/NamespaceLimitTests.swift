import CurlewXML
import FoundationEssentials
import Testing

/// Limits of what namespaces, nodes and entities may cost.
@Suite struct NamespaceLimitTests {
  private static func errors(_ text: String) -> [XMLError?] {
    let data = Data(text.utf8)
    return [{ _ = try XMLDocument(parsing: data) }, { _ = try Events.of(data) }].map { (parse: () throws -> Void) in
      do {
        try parse()
        return nil
      } catch { return error as? XMLError }
    }
  }

  @Test(.timeLimit(.minutes(1))) func `declarations in scope are limited, whole and as a stream`() {
    let declarations = (0..<900).map { "xmlns:p\($0)='u'" }.joined(separator: " ")
    let open = (0..<100).map { "<a\($0) \(declarations)>" }.joined()
    let close = (0..<100).reversed().map { "</a\($0)>" }.joined()
    let leaves = String(repeating: "<x:b/>", count: 20_000)
    for error in Self.errors("<r xmlns:x='u'>\(open)\(leaves)\(close)</r>") {
      #expect(error.map { "\($0.kind)" } == "tooManyNamespaces")
    }
  }

  @Test func `declarations that have gone out of scope are not counted`() {
    let declarations = (0..<400).map { "xmlns:p\($0)='u'" }.joined(separator: " ")
    let siblings = String(repeating: "<b \(declarations)><c \(declarations)/></b>", count: 10)
    #expect(Self.errors("<a>\(siblings)</a>") == [nil, nil])
  }

  @Test func `a long namespace name that many elements are in is counted as expansion`() {
    let leaves = String(repeating: "<b/>", count: 20_000)
    let long = Self.errors("<a xmlns='urn:\(String(repeating: "x", count: 100_000))'>\(leaves)</a>")
    #expect(long.map { $0?.kind } == [.expansion, .expansion])
    let ordinary = Self.errors("<a xmlns='urn:\(String(repeating: "x", count: 250))'>\(leaves)</a>")
    #expect(ordinary == [nil, nil])
  }

  /// Of the cost of these references 98 % are elements.
  @Test func `elements that entities add are counted`() {
    let entity = "<!DOCTYPE a [<!ENTITY e '\(String(repeating: "<b/>", count: 1000))'>]>"
    let errors = Self.errors("\(entity)<a>\(String(repeating: "&e;", count: 100))</a>")
    #expect(errors.map { $0?.kind } == [.expansion, .expansion])
  }
}
