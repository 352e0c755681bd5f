import CurlewXML
import FoundationEssentials
import Testing

/// The examples of Canonical XML 1.0, section 3.
@Suite struct CanonicalTests {
  private func canonical(_ text: String, comments: Bool = false) throws -> String {
    String(decoding: try XMLDocument(parsing: text).canonical(keepsComments: comments), as: UTF8.self)
  }

  @Test func `instructions, comments and what is outside of the element (3.1)`() throws {
    let text =
      "<?xml version=\"1.0\"?>\n\n<?xml-stylesheet   href=\"doc.xsl\"\n   type=\"text/xsl\"   ?>\n\n<!DOCTYPE doc SYSTEM \"doc.dtd\">\n\n"
      + "<doc>Hello, world!<!-- Comment 1 --></doc>\n\n<?pi-without-data     ?>\n\n<!-- Comment 2 -->\n\n<!-- Comment 3 -->\n"
    #expect(
      try canonical(text)
        == "<?xml-stylesheet href=\"doc.xsl\"\n   type=\"text/xsl\"   ?>\n<doc>Hello, world!</doc>\n<?pi-without-data?>"
    )
    #expect(
      try canonical(text, comments: true)
        == "<?xml-stylesheet href=\"doc.xsl\"\n   type=\"text/xsl\"   ?>\n<doc>Hello, world!<!-- Comment 1 --></doc>\n"
        + "<?pi-without-data?>\n<!-- Comment 2 -->\n<!-- Comment 3 -->")
  }

  @Test func `white space in content is kept (3.2)`() throws {
    let text = "<doc>\n   <clean>   </clean>\n   <mixed>\n      A\n      <clean>   </clean>\n   </mixed>\n</doc>"
    #expect(try canonical(text) == text)
  }

  @Test func `start and end tags, defaults and superfluous declarations (3.3)`() throws {
    let text = """
      <!DOCTYPE doc [<!ATTLIST e9 attr CDATA "default">]>
      <doc>
         <e1   />
         <e2   ></e2>
         <e3   name = "elem3"   id="elem3"   />
         <e4   name="elem4"   id="elem4"   ></e4>
         <e5 a:attr="out" b:attr="sorted" attr2="all" attr="I'm"
            xmlns:b="http://www.ietf.org"
            xmlns:a="http://www.w3.org"
            xmlns="http://example.org"/>
         <e6 xmlns="" xmlns:a="http://www.w3.org">
            <e7 xmlns="http://www.ietf.org">
               <e8 xmlns="" xmlns:a="http://www.w3.org">
                  <e9 xmlns="" xmlns:a="http://www.ietf.org"/>
               </e8>
            </e7>
         </e6>
      </doc>
      """
    let wanted = """
      <doc>
         <e1></e1>
         <e2></e2>
         <e3 id="elem3" name="elem3"></e3>
         <e4 id="elem4" name="elem4"></e4>
         <e5 xmlns="http://example.org" xmlns:a="http://www.w3.org" xmlns:b="http://www.ietf.org" attr="I'm" attr2="all" b:attr="sorted" a:attr="out"></e5>
         <e6 xmlns:a="http://www.w3.org">
            <e7 xmlns="http://www.ietf.org">
               <e8 xmlns="">
                  <e9 xmlns:a="http://www.ietf.org" attr="default"></e9>
               </e8>
            </e7>
         </e6>
      </doc>
      """
    #expect(try canonical(text) == wanted)
  }

  @Test func `character references and normalization (3.4)`() throws {
    let text = """
      <!DOCTYPE doc [
      <!ATTLIST normId id ID #IMPLIED>
      <!ATTLIST normNames attr NMTOKENS #IMPLIED>
      ]>
      <doc>
         <text>First line&#x0d;&#10;Second line</text>
         <value>&#x32;</value>
         <compute><![CDATA[value>"0" && value<"10" ?"valid":"error"]]></compute>
         <compute expr='value>"0" &amp;&amp; value&lt;"10" ?"valid":"error"'>valid</compute>
         <norm attr=' &apos;   &#x20;&#13;&#xa;&#9;   &apos; '/>
         <normNames attr='   A   &#x20;&#13;&#xa;&#9;   B   '/>
         <normId id=' &apos;   &#x20;&#13;&#xa;&#9;   &apos; '/>
      </doc>
      """
    let wanted = """
      <doc>
         <text>First line&#xD;
      Second line</text>
         <value>2</value>
         <compute>value&gt;"0" &amp;&amp; value&lt;"10" ?"valid":"error"</compute>
         <compute expr="value>&quot;0&quot; &amp;&amp; value&lt;&quot;10&quot; ?&quot;valid&quot;:&quot;error&quot;">valid</compute>
         <norm attr=" '    &#xD;&#xA;&#x9;   ' "></norm>
         <normNames attr="A &#xD;&#xA;&#x9; B"></normNames>
         <normId id="' &#xD;&#xA;&#x9; '"></normId>
      </doc>
      """
    #expect(try canonical(text) == wanted)
  }

  @Test func `entity references are replaced (3.5)`() throws {
    let text =
      "<!DOCTYPE doc [<!ATTLIST doc attrExtEnt ENTITY #IMPLIED><!ENTITY ent1 \"Hello\"><!ENTITY ent2 \"world\">"
      + "<!ENTITY entExt SYSTEM \"earth.gif\" NDATA gif><!NOTATION gif SYSTEM \"viewgif.exe\">]>"
      + "<doc attrExtEnt=\"entExt\">\n   &ent1;, &ent2;!\n</doc>\n\n<!-- Let world.txt contain \"world\" (excluding the quotes) -->\n"
    #expect(try canonical(text) == "<doc attrExtEnt=\"entExt\">\n   Hello, world!\n</doc>")
  }

  @Test func `UTF-8 comes out of any encoding (3.6)`() throws {
    let latin = Data("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><doc>&#169;".utf8) + [0xE9] + Data("</doc>".utf8)
    #expect(try XMLDocument(parsing: latin).canonical() == Data("<doc>©é</doc>".utf8))
  }

  @Test func `a part has the namespaces and the xml attributes it stands in`() throws {
    let document = try XMLDocument(
      parsing: "<a xmlns='urn:1' xmlns:p='urn:2' xml:lang='de' p:q='r'><!--c--><b z='1' y='2'><c/></b></a>")
    let part = try #require(document.root.elements.first { $0.localName == "b" })
    #expect(
      try part.canonical()
        == Data("<b xmlns=\"urn:1\" xmlns:p=\"urn:2\" y=\"2\" z=\"1\" xml:lang=\"de\"><c></c></b>".utf8))
  }

  @Test func `a relative namespace has no canonical form`() throws {
    let document = try XMLDocument(parsing: "<a xmlns='rel'/>")
    #expect(throws: CanonicalXMLError.self) { try document.canonical() }
  }

  @Test(arguments: ["rel", "../a", "a/b:c", "#a:", "?a:b", "//a:1"])
  func `a part of a document with a relative namespace has none either`(name: String) throws {
    let document = try XMLDocument(parsing: "<a><b/><c xmlns:p='\(name)'/></a>")
    #expect(throws: CanonicalXMLError.self) { try document.canonical() }
    for element in document.root.elements { #expect(throws: CanonicalXMLError.self) { try element.canonical() } }
  }

  @Test func `namespace names are escaped as attributes are, and read back`() throws {
    let text = """
      <!DOCTYPE a [<!ENTITY e "-">]>
      <a xmlns="foo:x&#38;x&amp;&apos;&e;" xmlns:p="foo:&amp;amp;"><p:b/></a>
      """
    let wanted =
      "<a xmlns=\"foo:x&amp;x&amp;'-\" xmlns:p=\"foo:&amp;amp;\"><p:b></p:b></a>"
    #expect(try canonical(text) == wanted)
    #expect(try canonical(wanted) == wanted)
  }

  @Test func `the default namespace is taken back where it was declared, and only there`() throws {
    let text = "<a xmlns=''><b xmlns='u:1'><c xmlns=''><d xmlns=''/></c><c xmlns='u:1'/></b><b xmlns=''/></a>"
    let wanted = "<a><b xmlns=\"u:1\"><c xmlns=\"\"><d></d></c><c></c></b><b></b></a>"
    #expect(try canonical(text) == wanted)
    // Within a part that does not begin with it, there is nothing to take back.
    let document = try XMLDocument(parsing: text)
    let part = try #require(document.root.first(XMLName("b", namespace: "u:1"))?.first("c"))
    #expect(try part.canonical() == Data("<c><d></d></c>".utf8))
  }

  @Test func `prefixes that are bound anew are declared, and again behind the element`() throws {
    let text =
      "<a xmlns:p='u:1' xmlns:q='u:2'><b xmlns:p='u:2' xmlns:q='u:2'><c xmlns:p='u:1'/></b><b xmlns:p='u:1'/><b xmlns:p='u:2'/></a>"
    let wanted =
      "<a xmlns:p=\"u:1\" xmlns:q=\"u:2\"><b xmlns:p=\"u:2\"><c xmlns:p=\"u:1\"></c></b><b></b><b xmlns:p=\"u:2\"></b></a>"
    #expect(try canonical(text) == wanted)
  }

  @Test func `the nearest xml attribute is inherited, and an own one stays`() throws {
    let document = try XMLDocument(
      parsing: "<a xml:lang='de' xml:base='u:1' xml:space='default' x='1'><b xml:lang='en'><c xml:base='u:2'/></b></a>")
    let part = try #require(document.root.first("b")?.first("c"))
    #expect(
      try part.canonical() == Data("<c xml:base=\"u:2\" xml:lang=\"en\" xml:space=\"default\"></c>".utf8))
    #expect(try document.root.canonical() == document.canonical())
  }

  @Test func `depth costs no stack`() async throws {
    var options = XMLParsingOptions()
    options.maximumDepth = XMLParsingOptions.greatestDepth
    options.maximumNamespaces = options.maximumDepth
    let depth = options.maximumDepth
    let text = String(repeating: "<a xmlns='u:1'>", count: depth) + String(repeating: "</a>", count: depth)
    let document = try XMLDocument(parsing: text, options: options)
    let wanted =
      "<a xmlns=\"u:1\">" + String(repeating: "<a>", count: depth - 1) + String(repeating: "</a>", count: depth)
    #expect(try document.canonical() == Data(wanted.utf8))
  }

  /// The first is `valid-sa-068` of the W3C's suite.
  @Test(arguments: [
    ("<!ENTITY e '&#13;'>", "<a>&e;</a>", "<a>&#xD;</a>", "\r"),
    ("<!ENTITY e 'x&#13;&#10;y'><!ENTITY f '[&e;]'>", "<a>&f;</a>", "<a>[x&#xD;\ny]</a>", "[x\r\ny]"),
    ("<!ENTITY e '&#13;'>", "<a b='&e;&#13;'/>", "<a b=\" &#xD;\"></a>", ""),
    (
      "<!ENTITY e \"<b c='1&#13;2>'>&#13;</b><![CDATA[&#13;<]]>\">", "<a>&e;</a>",
      "<a><b c=\"1 2>\">&#xD;</b>&#xD;&lt;</a>", "\r\r<"
    ),
    ("<!ENTITY e '<!--&#13;-->&#13;'>", "<a>&e;</a>", "<a>&#xD;</a>", "\r"),
    ("<!ENTITY e 'first'><!ENTITY e '&#13;'>", "<a>&e;\r\n</a>", "<a>first\n</a>", "first\n"),
  ])
  func `a carriage return in an entity is kept in text`(
    declarations: String, element: String, wanted: String, text: String
  ) throws {
    let document = "<!DOCTYPE a [\(declarations)]>\(element)"
    #expect(try canonical(document) == wanted)
    for size in [1, 1000] {
      let events = try Events.of(Data(document.utf8), by: size)
      #expect(events.reduce(into: "") { all, event in if case .text(let text) = event { all += text } } == text)
    }
  }
}
