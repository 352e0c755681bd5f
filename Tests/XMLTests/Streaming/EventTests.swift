import CurlewCore
import CurlewXML
import FoundationEssentials
import Glibc
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

  @Test func `an element that has begun is told before more comes`() throws {
    let parser = try XMLEventParser()
    try parser.append(Data("<?xml version='1.0'?>".utf8))
    #expect(try parser.next() == nil)
    try parser.append(Data("<a>".utf8))
    try parser.append(Data("<b/".utf8))
    #expect(try parser.next() == .startElement("a", attributes: [], declarations: []))
    #expect(try parser.next() == nil)
  }

  @Test func `nothing is told behind an error`() throws {
    let parser = try XMLEventParser()
    try parser.append(Data("<a>text".utf8))
    while try parser.next() != nil {}
    #expect(throws: XMLError.self) { try parser.finish() }
    #expect(try parser.next() == nil)
  }

  @Test func `what comes before an error is told, the error once, then the end`() async throws {
    var iterator = ResponseBody(Data("<a><b/></c>".utf8)).xmlEvents().makeAsyncIterator()
    let error = await #expect(throws: XMLError.self) {
      while try await iterator.next() != nil {}
    }
    #expect(error?.line == 1)
    #expect(try await iterator.next() == nil)
  }

  /// Reads a document of 18 MB that never is in memory as a whole.
  fileprivate static func readMuch() throws -> (elements: Int, longest: Int, growth: Int) {
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
    return (elements, longest, Memory.resident - before)
  }

  @Test func `a long text comes in pieces`() throws {
    let much = try Self.readMuch()
    #expect(much.elements == 250_001)
    #expect(much.longest == 65_536)
  }

  /// In a process of its own, since other tests need memory too.
  @Test(.enabled(if: Memory.isMeasurable, "a sanitizer keeps memory that was freed"))
  func `memory does not grow with the document`() async {
    await #expect(processExitsWith: .success) {
      exit(try EventTests.readMuch().growth < 10 << 10 ? 0 : 1)
    }
  }

  /// In pieces, libxml2 tells of bytes it cannot convert on the standard error unless it is told not to.
  @Test func `nothing is printed`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      for encoding in ["shift_jis", "euc-jp", "us-ascii", "utf-8"] {
        let start = Data("<?xml version='1.0' encoding='\(encoding)'?><a>aaaaa".utf8)
        for size in 1..<60 { _ = try? Events.of(start + [0xFF, 0xFF] + Data("</a>".utf8), by: size) }
      }
    }
    #expect(result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } == "")
  }

  @Test(arguments: ["<a>#</a>", "<a><![CDATA[#]]></a>", "<a b='#'/>", "<!--#--><a/>", "<a><?b #?></a>", "<a#/>"])
  func `what is no UTF-8 is refused wherever it stands`(text: String) throws {
    for bytes in [[0xC1, 0x81], [0xED, 0xA0, 0x80], [0xE0, 0x81, 0x81], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xC3]]
      as [[UInt8]]
    {
      let data = Data(text.utf8.flatMap { $0 == UInt8(ascii: "#") ? bytes : [$0] })
      #expect(throws: XMLError.self) { try XMLDocument(parsing: data) }
      for size in [1, 1000] { #expect(throws: XMLError.self) { try Events.of(data, by: size) } }
    }
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
  /// Not where `Scripts/sanitize` runs this.
  static let isMeasurable = getenv("CURLEW_SANITIZER") == nil

  /// What the process holds, in kB.
  static var resident: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }
}
