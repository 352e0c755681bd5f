import CurlewCore
import CurlewXML
import FoundationEssentials
import Testing

@Suite struct EventTests {
  @Test func `events come in order with names, attributes and declarations`() throws {
    let text =
      "<!DOCTYPE p:a [<!ATTLIST b d CDATA 'e'><!ENTITY x 'y<i/>'><!-- no --><?no no?>]><?t u?><p:a xmlns:p='urn:p' p:c='1'>x<![CDATA[<]]>&amp;&x;<b/><!-- z --></p:a>"
    let wanted: [XMLEvent] = [
      .processingInstruction(target: "t", data: "u"),
      .startElement(
        XMLName("a", namespace: "urn:p", prefix: "p"),
        attributes: [XMLAttribute(XMLName("c", namespace: "urn:p", prefix: "p"), "1")],
        declarations: [XMLNamespaceDeclaration(prefix: "p", namespace: "urn:p")]),
      .text("x<&y"), .startElement("i", attributes: [], declarations: []), .endElement("i"),
      .startElement("b", attributes: [XMLAttribute("d", "e")], declarations: []), .endElement("b"),
      .comment(" z "), .endElement(XMLName("a", namespace: "urn:p")),
    ]
    for size in [1, 2, 3, 7, 64, 1000] { #expect(try Events.of(Data(text.utf8), by: size) == wanted) }
  }

  @Test func `a body's events come while it arrives`() async throws {
    let body = ResponseBody(Data("<a><b>c</b></a>".utf8))
    var names: [String] = []
    for try await event in body.xmlEvents() {
      if case .startElement(let name, _, _) = event { names.append(name.localName) }
    }
    #expect(names == ["a", "b"])
  }

  @Test func `what comes before an error is told, the error once, then the end`() async throws {
    var iterator = ResponseBody(Data("<a><b/></c>".utf8)).xmlEvents().makeAsyncIterator()
    let error = await #expect(throws: XMLError.self) {
      while try await iterator.next() != nil {}
    }
    #expect(error?.line == 1)
    #expect(try await iterator.next() == nil)
  }

  @Test func `a long text comes in pieces, and memory does not grow with the document`() throws {
    let parser = try XMLEventParser()
    try parser.append(Data("<a>".utf8))
    let line = Data(String(repeating: "<b c='d'>text &amp; more</b>", count: 500).utf8)
    let text = Data(String(repeating: "x", count: 10_000).utf8)
    var elements = 0
    var longest = 0
    func drain() throws {
      while let event = try parser.next() {
        if case .startElement = event { elements += 1 }
        if case .text(let text) = event { longest = max(longest, text.utf8.count) }
      }
    }
    let before = Memory.resident
    for round in 0..<1000 {
      try parser.append(round % 2 == 0 ? line : text)
      try drain()
    }
    try parser.append(text + text + text + text + text + text + text + text + Data("</a>".utf8))
    try parser.finish()
    try drain()
    #expect(elements == 250_001)
    #expect(longest == 65_536)
    #expect(Memory.resident - before < 30 << 10)
  }

  @Test func `charsets of streams are read, and cut ones refused`() throws {
    let utf16 = Data([0xFE, 0xFF] + "<a>é</a>".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
    let wanted: [XMLEvent] = [
      .startElement("a", attributes: [], declarations: []), .text("é"), .endElement("a"),
    ]
    for size in [1, 3, 1000] { #expect(try Events.of(utf16, by: size) == wanted) }
    #expect(throws: XMLError.self) { try Events.of(utf16 + [0], by: 2) }
    #expect(throws: XMLError.self) { try Events.of(utf16 + [0, 0], by: 2) }
    #expect(throws: XMLError.self) { try Events.of(utf16 + [0xD8, 0x3D], by: 2) }
    let latin = Data("<?xml version='1.0' encoding='iso-8859-1'?><a>".utf8) + [0xE9] + Data("</a>".utf8)
    for size in [1, 5, 1000] { #expect(try Events.of(latin, by: size) == wanted) }
    let mislabeled = Data("<?xml version='1.0' encoding='utf-8'?><a>".utf8) + [0xE9] + Data("</a>".utf8)
    for size in [1, 1000] {
      #expect(throws: XMLError.self) { try Events.of(mislabeled, by: size) }
      #expect(try Events.of(mislabeled, by: size, charset: .iso88591) == wanted)
    }
  }
}

enum Memory {
  /// What the process holds, in kB.
  static var resident: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }
}
