/// Writes drafts as UTF-8.
///
/// Text that could be taken for markup is escaped or rejected.
struct XMLWriter {
  private(set) var bytes: [UInt8] = []
  private let format: XMLFormat
  private var scope = NamespaceScope()
  private var depth = 0

  init(_ format: XMLFormat) {
    self.format = format
    if format.hasDeclaration { put(#"<?xml version="1.0" encoding="UTF-8"?>"#) }
  }

  /// Writes a document's element.
  mutating func write(_ draft: XMLElementBuilder) throws(XMLWritingError) {
    if format.hasDeclaration { put("\n") }
    try element(draft, indents: format.indentation != nil)
    if format.indentation != nil { put("\n") }
  }

  private mutating func element(_ draft: XMLElementBuilder, indents: Bool) throws(XMLWritingError) {
    depth += 1
    guard depth <= format.maximumDepth else { throw XMLWritingError(kind: .tooDeep, name: draft.name.localName) }
    let names = try scope.enter(draft)
    put("<")
    put(names.element)
    for declaration in names.declarations {
      put(declaration.prefix.map { " xmlns:" + $0 } ?? " xmlns")
      try value(declaration.namespace, of: draft.name.localName)
    }
    for (name, attribute) in zip(names.attributes, draft.attributes) {
      put(" ")
      put(name)
      try value(attribute.value, of: name)
    }
    if draft.children.isEmpty {
      put("/>")
    } else {
      put(">")
      try children(of: draft, indents: indents)
      put("</")
      put(names.element)
      put(">")
    }
    scope.leave()
    depth -= 1
  }

  private mutating func children(of draft: XMLElementBuilder, indents: Bool) throws(XMLWritingError) {
    let hasText = draft.children.contains { if case .text = $0 { true } else { false } }
    let indents = indents && !hasText
    for child in draft.children {
      if indents { newLine(depth) }
      switch child {
      case .element(let child): try element(child, indents: indents)
      case .text(let text): try self.text(text, of: draft.name.localName)
      case .comment(let text): try comment(text)
      case .processingInstruction(let target, let data): try instruction(target, data)
      }
    }
    if indents { newLine(depth - 1) }
  }

  private mutating func newLine(_ level: Int) {
    put("\n")
    for _ in 0..<level { put(format.indentation ?? "") }
  }

  private mutating func text(_ text: String, of name: String) throws(XMLWritingError) {
    guard XMLCharacters.areAllowed(text) else { throw XMLWritingError(kind: .invalidCharacter, name: name) }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): put("&amp;")
      case UInt8(ascii: "<"): put("&lt;")
      // `>` must only be escaped after "]]", but escaping it always avoids looking back.
      case UInt8(ascii: ">"): put("&gt;")
      // A reader would turn it into a line feed.
      case 0x0D: put("&#13;")
      default: bytes.append(byte)
      }
    }
  }

  private mutating func value(_ text: String, of name: String) throws(XMLWritingError) {
    guard XMLCharacters.areAllowed(text) else { throw XMLWritingError(kind: .invalidCharacter, name: name) }
    put("=\"")
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): put("&amp;")
      case UInt8(ascii: "<"): put("&lt;")
      case UInt8(ascii: ">"): put("&gt;")
      case UInt8(ascii: "\""): put("&quot;")
      // A reader would turn them into spaces.
      case 0x09: put("&#9;")
      case 0x0A: put("&#10;")
      case 0x0D: put("&#13;")
      default: bytes.append(byte)
      }
    }
    put("\"")
  }

  private mutating func comment(_ text: String) throws(XMLWritingError) {
    guard XMLCharacters.areAllowed(text) else { throw XMLWritingError(kind: .invalidCharacter, name: "a comment") }
    guard !Self.holds("--", text), text.utf8.last != UInt8(ascii: "-"), !Self.holds("\r", text) else {
      throw XMLWritingError(kind: .invalidContent, name: "a comment")
    }
    put("<!--")
    put(text)
    put("-->")
  }

  private mutating func instruction(_ target: String, _ data: String) throws(XMLWritingError) {
    guard XMLCharacters.isName(target), target.lowercased() != "xml" else {
      throw XMLWritingError(kind: .invalidName, name: target)
    }
    guard XMLCharacters.areAllowed(data) else { throw XMLWritingError(kind: .invalidCharacter, name: target) }
    guard !Self.holds("?>", data), !Self.holds("\r", data), data.utf8.first?.isXMLSpace != true else {
      throw XMLWritingError(kind: .invalidContent, name: target)
    }
    put("<?")
    put(target)
    if !data.isEmpty { put(" ") }
    put(data)
    put("?>")
  }

  /// Returns whether a text contains a part, compared by bytes.
  ///
  /// To Swift, `>` and a following combining mark are one character.
  private static func holds(_ part: String, _ text: String) -> Bool {
    let part = Array(part.utf8)
    var matched = 0
    for byte in text.utf8 {
      matched = byte == part[matched] ? matched + 1 : byte == part[0] ? 1 : 0
      if matched == part.count { return true }
    }
    return false
  }

  private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
