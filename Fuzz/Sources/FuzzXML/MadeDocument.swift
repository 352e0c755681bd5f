/// A document that arbitrary bytes choose, part by part, from what documents consist of.
///
/// Most of them are nearly well-formed: with declarations, entities and attributes of the prefix `xml`, which random bytes almost
/// never have. The tests of CurlewXML use it too.
struct MadeDocument {
  /// The document, in UTF-8.
  private(set) var text = ""
  private var choices: [UInt8]
  private var place = 0

  /// Makes the document that the bytes choose; the same one for the same bytes.
  init(_ choices: [UInt8]) {
    self.choices = choices
    prolog()
    element(depth: 0)
    for _ in 0..<below(3) { aside() }
  }

  // MARK: Choosing

  /// Returns the next number, at most 255; 0 after the last byte.
  private mutating func below(_ limit: Int) -> Int {
    guard place < choices.count else { return 0 }
    defer { place += 1 }
    return Int(choices[place]) % limit
  }

  private mutating func put(_ parts: String...) { text += parts[below(parts.count)] }

  private static let names = [
    "f", "g", "h", "b", "c", "p:f", "p:b", "xml:id", "xml:space", "xml:lang", "xml:base", "xmlns", "xmlns:p", "é", "f",
    "b", ":", "1",
  ]
  private static let values = [
    "1 2", "a", "", "default", "preserve", "o", "&e;", "&g;", "&h;", "&#13;", "&#60;", "&lt;x", "&amp;", "urn:p", "]]>",
    "<", "&no;",
    "http://www.w3.org/XML/1998/namespace", "%p;", "x<!-- y", "1:2", "é😀", "a b a",
  ]

  private mutating func name() { text += Self.names[below(Self.names.count)] }
  private mutating func value() { text += Self.values[below(Self.values.count)] }

  private mutating func quoted() {
    let quote = below(2) == 0 ? "\"" : "'"
    text += quote
    value()
    if below(4) == 1 { value() }
    text += quote
  }

  // MARK: Parts

  private mutating func prolog() {
    put(
      "", "", "", "<?xml version='1.0'?>", "<?xml version='1.0' standalone='yes'?>",
      "<?xml version=\"1.0\" encoding='utf-8'?>\n")
    for _ in 0..<below(2) { aside() }
    guard below(4) != 3 else { return }
    put("<!DOCTYPE f ", "<!DOCTYPE f SYSTEM 'f.dtd' ", "<!DOCTYPE g PUBLIC '-//x' \"f.dtd\"")
    guard below(8) != 7 else { return text += ">" }
    text += "["
    for _ in 0..<below(9) { declaration() }
    put("]>", "]>", "] >\n", "]", "]]>")
  }

  private mutating func declaration() {
    switch below(12) {
    case 0, 1, 2, 3: attributes()
    case 4:
      text += "<!ELEMENT "
      name()
      put(" EMPTY>", " ANY>", " (#PCDATA)>", " (#PCDATA|f|f|g)*>", " (f|g,h)>", " ((f|f)+,(g?,h*))>", " (f>")
    case 5, 6:
      put("<!ENTITY e ", "<!ENTITY g ", "<!ENTITY h ", "<!ENTITY % p ", "<!ENTITY % q ", "<!ENTITY &e; ")
      switch below(6) {
      case 0: put("SYSTEM 'e'>", "SYSTEM 'e' NDATA n>", "PUBLIC 'x' 'e'>")
      case 1:
        put(
          "'<g xml:id=\"1 2\"/>'>", "\"<f b='o' b='o'/>\">", "'<g'>", "'</f><f>'>", "'<!-- &#13; -->'>", "'<?p \"?>'>")
      case 2:
        put("'<!ATTLIST f b (o|o) #IMPLIED>'>", "\"<!ENTITY h '&#60;f/>'>\">", "'<!-->-->'>", "'o|o|'>", "'&#37;q;'>")
      default:
        quoted()
        text += ">"
      }
    case 7: put("<!NOTATION n SYSTEM 'n'>", "<!NOTATION n PUBLIC 'n'>", "<!NOTATION o PUBLIC 'o' 'o'>")
    case 8: put("%p;", "%q;", " %p; ", "%no;")
    case 9: put(" ", "\n", "\r\n", "]", ">", "\"", "'", "<", "<![INCLUDE[ ]]>", "<?xml version='1.0'?>")
    default: aside()
    }
  }

  private mutating func attributes() {
    text += "<!ATTLIST "
    name()
    for _ in 0...below(3) {
      text += " "
      name()
      put(
        " CDATA ", " ID ", " IDREF ", " IDREFS ", " ENTITY ", " ENTITIES ", " NMTOKEN ", " NMTOKENS ", " (o|o) ",
        " (a | o|a|\n1) ",
        " NOTATION (n|o|n) ", " NOTATION (n) ", " (preserve|default) ", " (", " (%p;) ")
      switch below(4) {
      case 0: text += "#IMPLIED"
      case 1: text += "#REQUIRED"
      case 2:
        text += "#FIXED "
        quoted()
      default: quoted()
      }
    }
    put(">", ">", ">", " >\n", "")
  }

  /// A comment, an instruction or white space.
  private mutating func aside() {
    put(
      "<!-- c -->", "<!---->", "<!-->-->", "<!--->-->", "<!-- ' -->", "<!-- -- -->", "<!-- ]> -->", "<!-- &e; < -->",
      "<?p?>", "<?p x?>",
      "<?p x<!-- y ?>", "<?p \"?>", "<?p\"?>", "<?p ' ?>", "<?p ]> ?>", "<?p<!-- ?>", "<?p <!---->?>",
      "<?xml-x a='b'?>", "<?p:q r?>",
      "<?XML ?>", "<? p?>", " ", "\n", "\r")
  }

  private mutating func element(depth: Int) {
    text += "<"
    let start = text.endIndex
    name()
    let name = String(text[start...])
    for _ in 0..<below(4) {
      put(" ", "\n", " ", "")
      self.name()
      put("=", "=", " = ", "")
      quoted()
    }
    guard depth < 8, below(3) != 2 else { return put("/>", "/>", " />", ">") }
    text += ">"
    for _ in 0..<below(5) { content(depth) }
    text += "</\(name)"
    put(">", ">", " >", "")
  }

  private mutating func content(_ depth: Int) {
    switch below(8) {
    case 0, 1, 2: element(depth: depth + 1)
    case 3: value()
    case 4: put("&e;", "&g;", "&h;", "&#13;", "&#x1F600;", "&#0;", "&", "&e;&e;")
    case 5: put("<![CDATA[x]]>", "<![CDATA[]]]]>", "<![CDATA[<f>&e;]]>", "<![CDATA[", "]]>")
    case 6: put("text", " ", "\r\n", "é", "\u{FFFE}", "\u{1}")
    default: aside()
    }
  }
}
