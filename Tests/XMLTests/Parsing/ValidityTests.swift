import CurlewXML
import FoundationEssentials
import Testing

/// Documents that are well-formed, and break the rules of their own document type definition.
///
/// libxml2 reports that while it parses. For some of these reports, libxml2 2.9 passes its own parser to an error handler instead of
/// the pointer that belongs to the handler.
@Suite struct ValidityTests {
  static let documents = [
    // Reports of the parser itself: `xml:id`, and a token twice in an enumeration or a notation.
    "<f xml:id=\"1 2\"/>",
    "<f xml:id=''><g xml:id='a b'/><g xml:id='a'/><g xml:id='a'/></f>",
    "<!DOCTYPE f [<!ATTLIST f xml:id CDATA #IMPLIED>]><f xml:id='a'/>",
    "<!DOCTYPE f [<!ATTLIST f xml:id CDATA '1 2'>]><f/>",
    "<!DOCTYPE f [<!ATTLIST f b (o|o) #IMPLIED>]><f/>",
    "<!DOCTYPE f [<!ATTLIST f b (o|p|q|p) 'q'>]><f b='z'/>",
    "<!DOCTYPE f [<!NOTATION o SYSTEM 'o'><!ATTLIST f b NOTATION (o|o) #IMPLIED>]><f/>",
    "<!DOCTYPE f [<!ENTITY e '<g xml:id=\"1 2\"/>'>]><f>&e;&e;</f>",
    "<!DOCTYPE f [<!ENTITY % p '<!ATTLIST f b (o|o) #IMPLIED>'> %p; <!ATTLIST f c (p|p) #IMPLIED>]><f/>",
    "<!DOCTYPE f [<!ATTLIST f xml:space (a|b) 'a' xml:lang ID #IMPLIED>]><f xml:space='c'/>",
    // A parameter entity that only the external definition could declare.
    "<!DOCTYPE f SYSTEM 'f.dtd' [%p;]><f/>", "<!DOCTYPE f [<!ENTITY % p ''> %p; %q;]><f/>",
    // Reports about declarations.
    "<!DOCTYPE f [<!ATTLIST f b ID #IMPLIED c ID #IMPLIED>]><f b='1' c='1'/>",
    "<!DOCTYPE f [<!ATTLIST f b ID 'x'>]><f/>",
    "<!DOCTYPE f [<!ATTLIST f b ENTITY '1'>]><f/>",
    "<!DOCTYPE f [<!ATTLIST f b (o) 'p'>]><f/>",
    "<!DOCTYPE f [<!ELEMENT f EMPTY><!ELEMENT f ANY>]><f>x</f>",
    "<!DOCTYPE f [<!ELEMENT f (a|a)><!ELEMENT g (#PCDATA|a|a)*>]><f/>",
    "<!DOCTYPE f [<!NOTATION n SYSTEM 'a'><!NOTATION n SYSTEM 'b'>]><f/>",
    "<!DOCTYPE f [<!ENTITY e SYSTEM 'a' NDATA n><!ENTITY e SYSTEM 'b' NDATA m>]><f/>",
    "<!DOCTYPE f [<!ELEMENT a:b:c ANY><!ATTLIST f b ID #REQUIRED>]><g/>",
    "<?xml version='1.0' standalone='yes'?><!DOCTYPE f [<!ATTLIST f b NMTOKEN '  x  '>]><f/>",
  ]

  @Test(arguments: documents) func `a document that is well-formed and not valid is taken`(text: String) throws {
    let data = Data(text.utf8)
    let document = try XMLDocument(parsing: data)
    let whole = try Events.of(data)
    for size in [1, 3, 100] { #expect(try Events.of(data, by: size) == whole) }
    let starts = whole.count { if case .startElement = $0 { true } else { false } }
    #expect(try document.elements("//*").count == starts)
  }

  /// Each of them costs the same, wherever it is in the document.
  @Test func `many reports about validity take linear time`() throws {
    func seconds(_ count: Int) throws -> Double {
      let text =
        "<!DOCTYPE f [<!ATTLIST f b ID #IMPLIED>]><f>" + String(repeating: "<g xml:id='1 2'/>", count: count) + "</f>"
      let start = BombTests.threadSeconds
      _ = try XMLDocument(parsing: Data(text.utf8))
      return BombTests.threadSeconds - start
    }
    // Quadratic time would be 64 times as much; at least a hundredth of a second keeps out noise.
    #expect(try seconds(16_000) < 24 * max(seconds(2_000), 0.01))
  }

  @Test(arguments: documents) func `what follows a report about validity is still checked`(text: String) throws {
    let data = Data((text + "<").utf8)
    #expect(throws: XMLError.self) { try XMLDocument(parsing: data) }
    #expect(throws: XMLError.self) { try Events.of(data, by: 7) }
  }
}
