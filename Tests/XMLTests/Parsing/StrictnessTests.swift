import CurlewCore
import CurlewXML
import FoundationEssentials
import Testing

@Suite struct StrictnessTests {
  @Test(arguments: [
    ("", XMLError.Kind.empty), ("<a>", .truncated), ("oops", .malformed), (" \n", .empty), ("<a></b>", .malformed),
    ("<a/><b/>", .malformed),
    ("<a b='1' b='2'/>", .malformed), ("<a>&x;</a>", .undeclaredEntity), ("<a>&#0;</a>", .malformed),
    ("<p:a/>", .namespace), ("<a p:b=''/>", .namespace), ("<a xmlns:p=''/>", .namespace), ("<a:b:c/>", .namespace),
    ("<a xmlns:p='u' xmlns:q='u' p:x='' q:x=''/>", .namespace), ("<?p:q?><a/>", .namespace),
    // What libxml2 2.9.14 takes.
    ("<!DOCTYPEa><a/>", .malformed), ("<?xml version='1.0'?>\n<!DOCTYPEa><a/>", .malformed),
    ("<!DOCTYPE a>[]><a/>", .malformed), ("<!DOCTYPE a:><a/>", .namespace),
    ("<?xml version='1.0' encoding='utf-8'standalone='yes'?><a/>", .malformed),
    ("<?xml version='1.0' encoding='utf-16'?><a/>", .encoding),
    ("\u{FEFF}<?xml version='1.0' encoding='iso-8859-1'?><a/>", .encoding),
    ("<!DOCTYPE a [<!ENTITY lt '<'>]><a/>", .malformed),
    ("<!DOCTYPE a [<!ATTLIST a xmlns CDATA 'urn:a]'>]><a/>", .namespace),
    ("<!DOCTYPE a [<!ATTLIST a xmlns:p CDATA ''>]><a/>", .namespace),
    ("<!DOCTYPE a [<!ATTLIST a xmlns:xml CDATA 'urn:a'>]><a/>", .namespace),
    ("<!DOCTYPE a [<!ATTLIST a xmlns:xmlns CDATA 'urn:a'>]><a/>", .namespace),
    ("<!DOCTYPE a [<!ATTLIST a xmlns CDATA 'http://www.w3.org/XML/1998/namespace'>]><a/>", .namespace),
    ("<!DOCTYPE a [<!ATTLIST a xmlns:p CDATA 'http://www.w3.org/2000/xmlns/'>]><a/>", .namespace),
    ("<a/>\0", .malformed), ("<a>\0</a>", .malformed),
  ])
  func `what breaks a rule is refused`(text: String, kind: XMLError.Kind) throws {
    let error = try #require(XMLDocument.error(of: text))
    #expect(error.kind == kind, "\(error)")
    #expect(throws: XMLError.self) { try Events.of(Data(text.utf8)) }
    #expect(throws: XMLError.self) { try Events.of(Data(text.utf8), by: 1) }
  }

  @Test(arguments: [
    "<?xml version='1.0'?><!DOCTYPE a [<!--> ]> --> ] ><a/>", "<!DOCTYPE a [<?b it's?><?c \"?>]><a><?d '?></a>",
    "<!DOCTYPE a ><a/>", "<!DOCTYPE a:b [ ] ><a/>",
    "<!DOCTYPE a SYSTEM '>[' ><a/>", "<!-- <!DOCTYPEx --><a/>",
    "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<?b standalone='x'y?><a/>", "\u{FEFF}<a/>",
    "<a xml:lang='' xml:space='odd'/>", "<!DOCTYPE a [<!ELEMENT a EMPTY><!ELEMENT a ANY>]><a>x</a>",
    "<?xml version='1.1'?><a/>", "<é_:ü xmlns:é_='u'/>", "<a\u{309}/>",
    "<!DOCTYPE a [<!ENTITY lt '&#38;#60;'>]><a>&lt;</a>",
    "<!DOCTYPE a [<!ATTLIST a xmlns:p CDATA 'urn:a' xmlns CDATA ''>]><a xmlns='urn:b'><p:a/></a>",
    "<!DOCTYPE a [<!ATTLIST a xmlns:xml CDATA 'http://www.w3.org/XML/1998/namespace'>]><a xml:lang='de'/>",
  ])
  func `what is well-formed is taken`(text: String) throws {
    _ = try XMLDocument(parsing: Data(text.utf8))
    _ = try Events.of(Data(text.utf8), by: 1)
  }

  @Test(arguments: [
    ("<a>\n  <b>\n</a>", 3, 5), ("<a>\r\n<b x=1/></a>", 2, 6), ("<a>\r<é>&y;</é></a>", 2, 7),
    ("<a>\n\n<p:b/></a>", 3, 5),
  ])
  func `errors have line and column`(text: String, line: Int, column: Int) throws {
    let error = try #require(XMLDocument.error(of: text))
    #expect(error.line == line && abs(error.column - column) <= 1, "\(error)")
    #expect("\(error)".hasPrefix("line \(line), column "))
  }

  @Test func `a message holds nothing that a terminal obeys`() throws {
    let error = try #require(XMLDocument.error(of: "<a>&\u{9B};</a><b\u{85}/>"))
    #expect(error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
  }

  @Test func `UTF-16 is read, and refused when it is cut or not what is declared`() throws {
    func utf16(_ text: String) -> Data {
      Data([0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
    }
    #expect(try XMLDocument(parsing: utf16("<a>é😀</a>")).root.text == "é😀")
    #expect(throws: XMLError.self) { try XMLDocument(parsing: utf16("<a/>") + [0x61]) }
    #expect(throws: XMLError.self) { try XMLDocument(parsing: utf16("<a/>") + [0, 0]) }
    #expect(throws: XMLError.self) { try XMLDocument(parsing: utf16("<a/>") + [0x3D, 0xD8]) }
    #expect(throws: XMLError.self) { try XMLDocument(parsing: utf16("<?xml version='1.0' encoding='utf-8'?><a/>")) }
    _ = try XMLDocument(parsing: utf16("<?xml version='1.0' encoding='utf-16'?><a/>"))
  }

  @Test func `a charset from outside stands above the declaration and below a mark`() throws {
    let latin = Data("<?xml version='1.0' encoding='utf-8'?><a>".utf8) + [0xE9] + Data("</a>".utf8)
    #expect(throws: XMLError.self) { try XMLDocument(parsing: latin) }
    #expect(try XMLDocument(parsing: latin, charset: .iso88591).root.text == "é")
    let marked = Data([0xEF, 0xBB, 0xBF] + Data("<a>é</a>".utf8))
    #expect(try XMLDocument(parsing: marked, charset: .iso88591).root.text == "é")
    #expect(try XMLDocument(parsing: "<?xml version='1.0' encoding='iso-8859-1'?><a>é</a>").root.text == "é")
    #expect(throws: XMLError.self) { try XMLDocument(parsing: latin, charset: .init(label: "utf-7")) }
  }

  @Test func `every beginning of a document is an error, and none of its beginnings traps`() throws {
    let document = Data(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE a:doc SYSTEM "x" [<!ENTITY e "<b c='&#38;#60;'>&f;</b>"><!ENTITY f "é"><!ENTITY % p "<!ELEMENT b ANY>"> %p;
      <!ATTLIST b d (x|y) "x" e CDATA #FIXED "z"> <!NOTATION n PUBLIC "q">]><!-- c --><?p i?>
      <a:doc xmlns:a="urn:a" f="&f;"><![CDATA[ <x> ]]>&e;é😀<g/></a:doc>
      """.utf8)
    #expect(try XMLDocument(parsing: document).root.text == " <x> éé😀")
    for length in 0..<document.count {
      #expect(throws: XMLError.self) { try XMLDocument(parsing: document.prefix(length)) }
      #expect(throws: XMLError.self) { try Events.of(document.prefix(length), by: 3) }
    }
    var generator = SplitMix(state: 7)
    for _ in 0..<2000 {
      var mutated = document
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        mutated[Int.random(in: 0..<mutated.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      let whole = (try? XMLDocument(parsing: mutated)) != nil
      #expect(whole == ((try? Events.of(mutated, by: 11)) != nil))
    }
  }
}

/// The events of a document given in pieces.
enum Events {
  static func of(
    _ data: Data, by size: Int = .max, charset: Charset? = nil
  ) throws -> [XMLEvent] {
    let parser = try XMLEventParser(charset: charset)
    var events: [XMLEvent] = []
    var rest = data[...]
    while !rest.isEmpty {
      try parser.append(rest.prefix(size))
      rest = rest.dropFirst(size)
      while let event = try parser.next() { events.append(event) }
    }
    try parser.finish()
    while let event = try parser.next() { events.append(event) }
    return events
  }
}

struct SplitMix: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
