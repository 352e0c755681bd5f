import CurlewXML
import FoundationEssentials
import Testing

@Suite struct NodeLimitTests {
  @Test func `nodes are limited at their edge, and not in a stream`() throws {
    var options = XMLParsingOptions()
    options.maximumNodes = 7
    let text = "<a xmlns:p='u' b='1'><!--c--><?d?><e/><e/></a>"
    #expect(XMLDocument.error(of: text, options: options) == nil)
    options.maximumNodes = 6
    #expect(XMLDocument.error(of: text, options: options)?.kind == .tooManyNodes)
    let parser = try XMLEventParser(options: options)
    try parser.append(Data(text.utf8))
    try parser.finish()
    #expect(try parser.next() != nil)
  }

  @Test func `declarations in scope are limited at their edge`() {
    var options = XMLParsingOptions()
    options.maximumNamespaces = 3
    #expect(XMLDocument.error(of: "<a xmlns:p='u'><b xmlns:q='u' xmlns='v'/></a>", options: options) == nil)
    options.maximumNamespaces = 2
    let error = XMLDocument.error(of: "<a xmlns:p='u'><b xmlns:q='u' xmlns='v'/></a>", options: options)
    #expect(error?.kind == .tooManyNamespaces)
  }
}
