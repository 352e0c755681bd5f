// Whose headers are where the compiler finds `timespec`.
import CLibxml2
import CurlewXML
import FoundationEssentials
import Glibc
import Testing

/// Documents that would cost far more than they weigh.
@Suite(.serialized) struct BombTests {
  /// Text that Swift takes very long to compare.
  private static let marks = String(repeating: "\u{301}\u{316}", count: 1_000)

  @Test(arguments: [
    "<a\(BombTests.marks)/>", "<a><b\(BombTests.marks)/></a>", "<a b\(BombTests.marks)=''/>",
    "<a\(BombTests.marks):b xmlns:a\(BombTests.marks)='urn:x'/>",
    "<a xmlns:b\(BombTests.marks)='urn:x'/>", "<!DOCTYPE a [<!ATTLIST a\(BombTests.marks) b CDATA 'x'>]><a/>",
  ])
  func `a name with more than 1,024 combining marks in a row is refused, whole and as a stream`(text: String) throws {
    let error = #expect(throws: XMLError.self) { try XMLDocument(parsing: text) }
    #expect(error?.kind == .tooLarge, "\(error.debugDescription)")
    let parser = try XMLEventParser()
    let streamed = #expect(throws: XMLError.self) {
      try parser.append(Data(text.utf8))
      while try parser.next() != nil {}
      try parser.finish()
      while try parser.next() != nil {}
    }
    #expect(streamed?.kind == .tooLarge)
  }

  @Test func `a text may have them, but no type gets it`() throws {
    let document = try XMLDocument(parsing: "<a><b>a\(Self.marks)</b><c d='a\(Self.marks)'/></a>")
    struct Text: Decodable { var b: String }
    #expect(throws: DecodingError.self) { try XMLDecoder().decode(Text.self, from: document.root) }
    #expect(throws: DecodingError.self) { try XMLDecoder().decode([String: String].self, from: document.root) }
    #expect(document.root.text == "a" + Self.marks)
  }

  struct Bomb: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var text: String
    var kinds: [XMLError.Kind]
  }

  static let bombs: [Bomb] = {
    func chain(_ levels: Int, _ sign: String, _ reference: (Int) -> String) -> String {
      (1...levels).map { "<!ENTITY \(sign)e\($0) '\(String(repeating: reference($0 - 1), count: 10))'>" }.joined()
    }
    let laughs = "<!DOCTYPE a [<!ENTITY e0 'lol'>\(chain(9, "") { "&e\($0);" })]>"
    let long = String(repeating: "x", count: 100_000)
    let attributes = (0..<200).map { "a\($0) CDATA '\(String(repeating: "y", count: 100))'" }.joined(separator: " ")
    let namespaces = (0..<50).map { "xmlns:n\($0) CDATA 'urn:\(String(repeating: "y", count: 500))'" }.joined(
      separator: " ")
    return [
      Bomb(testDescription: "billion laughs", text: laughs + "<a>&e9;</a>", kinds: [.expansion]),
      Bomb(testDescription: "billion laughs in an attribute", text: laughs + "<a b='&e9;'/>", kinds: [.expansion]),
      Bomb(
        testDescription: "billion laughs in a default",
        text: laughs.dropLast(2) + "<!ATTLIST a b CDATA '&e9;'>]><a/>", kinds: [.expansion]),
      Bomb(
        testDescription: "billion elements",
        text: "<!DOCTYPE a [<!ENTITY e0 '<b/>'>\(chain(9, "") { "&e\($0);" })]><a>&e9;</a>", kinds: [.expansion]),
      Bomb(
        testDescription: "quadratic blow-up",
        text: "<!DOCTYPE a [<!ENTITY e '\(long)'>]><a>\(String(repeating: "&e;", count: 5000))</a>", kinds: [.expansion]
      ),
      Bomb(
        testDescription: "quadratic blow-up in attributes",
        text: "<!DOCTYPE a [<!ENTITY e '\(long)'>]><a>\(String(repeating: "<b c='&e;'/>", count: 5000))</a>",
        kinds: [.expansion]),
      Bomb(
        testDescription: "parameter entities",
        text: "<!DOCTYPE a [<!ENTITY % e0 '<!-- \(long) -->'>"
          + (1...9).map { "<!ENTITY % e\($0) '\(String(repeating: "&#37;e\($0 - 1);", count: 10))'>" }.joined()
          + "%e9;]><a/>", kinds: [.expansion, .malformed]),
      Bomb(
        testDescription: "defaulted attributes",
        text: "<!DOCTYPE a [<!ATTLIST b \(attributes)>]><a>\(String(repeating: "<b/>", count: 20000))</a>",
        kinds: [.expansion]),
      Bomb(
        testDescription: "defaulted namespaces",
        text: "<!DOCTYPE a [<!ATTLIST b \(namespaces)>]><a>\(String(repeating: "<b/>", count: 20000))</a>",
        kinds: [.expansion]),
      Bomb(
        testDescription: "defaulted attributes within an entity",
        text: "<!DOCTYPE a [<!ATTLIST b \(attributes)><!ENTITY e '\(String(repeating: "<b/>", count: 50))'>]><a>"
          + String(repeating: "&e;", count: 2000) + "</a>", kinds: [.expansion]),
      // libxml2 would look for each of them among all others.
      Bomb(
        testDescription: "defaults of many elements",
        text: "<!DOCTYPE a [\((0..<20_000).map { "<!ATTLIST a\($0) b CDATA 'x'>" }.joined())]><a/>",
        kinds: [.tooManyAttributes]),
      Bomb(
        testDescription: "a loop", text: "<!DOCTYPE a [<!ENTITY e '&f;'><!ENTITY f '&e;'>]><a>&e;</a>",
        kinds: [.expansion, .malformed]),
      Bomb(
        testDescription: "an external entity",
        text: "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>", kinds: [.externalEntity]),
      Bomb(
        testDescription: "an external entity in an attribute",
        text: "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a b='&e;'/>", kinds: [.externalEntity]),
      Bomb(
        testDescription: "an external parameter entity",
        text: "<!DOCTYPE a [<!ENTITY % e SYSTEM 'file:///etc/passwd'> %e;]><a/>", kinds: [.externalEntity]),
      Bomb(
        testDescription: "deep nesting", text: String(repeating: "<a>", count: 500_000), kinds: [.tooDeep]),
      Bomb(
        testDescription: "deep nesting by entities",
        text:
          "<!DOCTYPE a [<!ENTITY e '\(String(repeating: "<b>", count: 300) + String(repeating: "</b>", count: 300))'>]>"
          + "<a>&e;</a>", kinds: [.tooDeep]),
      Bomb(
        testDescription: "many attributes in an entity",
        text:
          "<!DOCTYPE a [<!ENTITY e '&#60;b \((0..<20_000).map { "a\($0)=\"\"" }.joined(separator: " "))/>'>]><a>&e;</a>",
        kinds: [.tooManyAttributes]),
      Bomb(
        testDescription: "many values of one type",
        text: "<!DOCTYPE a [<!ATTLIST a b (\((0..<3000).map { "v\($0)" }.joined(separator: "|"))) #IMPLIED>]><a/>",
        kinds: [.tooManyAttributes]),
      Bomb(
        testDescription: "many values of one notation type in an entity",
        text:
          "<!DOCTYPE a [<!ENTITY % e '<!ATTLIST a b NOTATION (\((0..<2500).map { "v\($0)" }.joined(separator: " | "))) "
          + "#IMPLIED>'>%e;]><a/>", kinds: [.tooManyAttributes]),
      Bomb(
        testDescription: "many values from many entities",
        text: "<!DOCTYPE a ["
          + (0..<4).map { part in
            "<!ENTITY % p\(part) '\((0..<900).map { "v\(part)x\($0)|" }.joined())'>"
          }.joined()
          + "<!ENTITY % all '<!ATTLIST a b (\((0..<4).map { "&#37;p\($0);" }.joined())v) #IMPLIED>'>%all;]><a/>",
        kinds: [.tooManyAttributes, .malformed]),
      Bomb(
        testDescription: "many types with many values",
        text: "<!DOCTYPE a ["
          + (0..<40).map { type in
            "<!ATTLIST a a\(type) (\((0..<1023).map { "v\($0)" }.joined(separator: "|"))) #IMPLIED>"
          }.joined() + "]><a/>", kinds: [.tooManyAttributes]),
      Bomb(
        testDescription: "many declared attributes",
        text: "<!DOCTYPE a [<!ATTLIST a \((0..<1100).map { "a\($0) CDATA 'x'" }.joined(separator: " "))>]><a/>",
        kinds: [.tooManyAttributes]),
      Bomb(
        testDescription: "many declared identifiers, one by one",
        text: "<!DOCTYPE a [\((0..<1100).map { "<!ATTLIST a a\($0) ID #IMPLIED>" }.joined())]><a/>",
        kinds: [.tooManyAttributes]),
      Bomb(
        testDescription: "many attributes",
        text: "<a \((0..<60_000).map { "a\($0)=''" }.joined(separator: " "))/>", kinds: [.tooManyAttributes]),
    ]
  }()

  @Test(arguments: bombs) func `bombs are refused`(bomb: Bomb) throws {
    let data = Data(bomb.text.utf8)
    for parse in [{ _ = try XMLDocument(parsing: data) }, { _ = try Events.of(data) }] as [() throws -> Void] {
      let error = #expect(throws: XMLError.self) { try parse() }
      #expect(error.map { bomb.kinds.contains($0.kind) } == true, "\(String(describing: error))")
    }
  }

  /// In a process of its own, since other tests need memory too; the time is looked at when CURLEW_TIMED is set.
  @Test(.enabled(if: Memory.isMeasurable, "a sanitizer keeps memory that was freed"))
  func `bombs are refused in 50 ms and 20 MB`() async {
    await #expect(processExitsWith: .success) {
      let isTimed = getenv("CURLEW_TIMED") != nil
      for bomb in BombTests.bombs {
        let data = Data(bomb.text.utf8)
        for parse in [{ _ = try XMLDocument(parsing: data) }, { _ = try Events.of(data) }] as [() throws -> Void] {
          // Memory at its highest since the reset.
          try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
          let before = BombTests.peakMemory
          let start = BombTests.threadSeconds
          try? parse()
          if BombTests.peakMemory - before >= 20 << 10 || (isTimed && BombTests.threadSeconds - start >= 0.05) {
            exit(1)
          }
        }
      }
    }
  }

  static var threadSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// In kB.
  fileprivate static var peakMemory: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  @Test func `limits hold at their edge`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }
    #expect(XMLDocument.error(of: nested(256)) == nil)
    #expect(XMLDocument.error(of: nested(257))?.kind == .tooDeep)
    var options = XMLParsingOptions()
    options.maximumDepth = 100_000
    #expect(options.maximumDepth == XMLParsingOptions.greatestDepth)
    #expect(XMLDocument.error(of: nested(2048), options: options) == nil)
    #expect(XMLDocument.error(of: nested(2049), options: options)?.kind == .tooDeep)
    options.maximumBytes = 4
    #expect(XMLDocument.error(of: "<a/>", options: options) == nil)
    #expect(XMLDocument.error(of: "<a />", options: options)?.kind == .tooLarge)
    options = XMLParsingOptions()
    options.maximumAttributes = 2
    #expect(XMLDocument.error(of: "<a b='' c=''/>", options: options) == nil)
    #expect(XMLDocument.error(of: "<a b='' c='' d=''/>", options: options)?.kind == .tooManyAttributes)
    // Short declarations are not counted before libxml2 reads them.
    let values = (0..<3000).map { "v\($0)" }
    func declared(_ type: String) -> String { "<!DOCTYPE a [<!ATTLIST a b \(type) #IMPLIED>]><a/>" }
    #expect(XMLDocument.error(of: declared("(\(values.prefix(1024).joined(separator: "|")))")) == nil)
    #expect(XMLDocument.error(of: declared("(\(values.joined(separator: "|")))"))?.kind == .tooManyAttributes)
    // All types together have 8 times as many.
    func types(_ count: Int) -> String {
      let one = "(\(values.prefix(1024).joined(separator: "|")))"
      return "<!DOCTYPE a [\((0..<count).map { "<!ATTLIST a a\($0) \(one) #IMPLIED>" }.joined())]><a/>"
    }
    #expect(XMLDocument.error(of: types(7)) == nil)
    #expect(XMLDocument.error(of: types(9))?.kind == .tooManyAttributes)
    let choice = "<!DOCTYPE a [<!ELEMENT a (#PCDATA|\(values.joined(separator: "|")))*>]><a/>"
    #expect(XMLDocument.error(of: choice) == nil)
    let bars = String(repeating: "|", count: 5000)
    #expect(XMLDocument.error(of: "<!DOCTYPE a [<!ATTLIST a b CDATA '\(bars)'>]><a/>") == nil)
    options = XMLParsingOptions()
    options.maximumExpansionBytes = 0
    let entity = "<!DOCTYPE a [<!ENTITY e '\(String(repeating: "x", count: 300))'>]>"
    #expect(XMLDocument.error(of: entity + "<a>\(String(repeating: "&e;", count: 4))</a>", options: options) == nil)
    let beyond = entity + "<a>\(String(repeating: "&e;", count: 20))</a>"
    #expect(XMLDocument.error(of: beyond, options: options)?.kind == .expansion)
  }

  @Test func `ordinary use of entities is no bomb`() throws {
    let text =
      "<!DOCTYPE a [<!ENTITY e 'text'><!ENTITY m '<b c=\"&e;\">&e;</b>'>]><a>"
      + String(repeating: "some &e; and &lt;more&gt; with &m; in it. ", count: 20_000) + "</a>"
    let document = try XMLDocument(parsing: Data(text.utf8))
    guard case .number(let count) = try document.evaluate("count(//b[@c = 'text' and . = 'text'])") else {
      Issue.record("no number")
      return
    }
    #expect(count == 20_000)
  }

  @Test func `what is outside of a document is not looked at`() throws {
    let text =
      "<?oasis-xml-catalog catalog='file:///etc/passwd'?><!DOCTYPE a PUBLIC '-//x' 'http://127.0.0.1:9/x.dtd' ["
      + "<!ENTITY e SYSTEM 'http://127.0.0.1:9/e'>]><a xmlns:xi='http://www.w3.org/2001/XInclude'>"
      + "<xi:include href='/etc/passwd'/></a>"
    let document = try XMLDocument(parsing: text)
    #expect(document.root.text.isEmpty)
    #expect(document.documentType?.systemID == "http://127.0.0.1:9/x.dtd")
  }
}
