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

/// The characters that XML 1.0 (fifth edition) allows in names and texts.
enum XMLCharacters {
  /// Returns whether a text is a name without a colon.
  ///
  /// See Namespaces in XML 1.0, production 4 (NCName).
  static func isName(_ text: String) -> Bool {
    var scalars = text.unicodeScalars.makeIterator()
    guard let first = scalars.next(), isNameStart(first) else { return false }
    while let scalar = scalars.next() {
      guard isNameStart(scalar) || isNameRest(scalar) else { return false }
    }
    return true
  }

  /// Returns whether XML allows all characters of a text (production 2).
  static func areAllowed(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
      default: false
      }
    }
  }

  /// Returns whether a name can begin with a character.
  ///
  /// See production 4; a colon is excluded.
  private static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "A"..."Z", "a"..."z", "_", "\u{C0}"..."\u{D6}", "\u{D8}"..."\u{F6}", "\u{F8}"..."\u{2FF}",
      "\u{370}"..."\u{37D}", "\u{37F}"..."\u{1FFF}", "\u{200C}"..."\u{200D}", "\u{2070}"..."\u{218F}",
      "\u{2C00}"..."\u{2FEF}", "\u{3001}"..."\u{D7FF}", "\u{F900}"..."\u{FDCF}", "\u{FDF0}"..."\u{FFFD}",
      "\u{10000}"..."\u{EFFFF}":
      true
    default: false
    }
  }

  /// Returns whether a name can have a character after the first (production 4a).
  ///
  /// It only knows the characters that cannot also begin a name.
  private static func isNameRest(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "-", ".", "0"..."9", "\u{B7}", "\u{300}"..."\u{36F}", "\u{203F}"..."\u{2040}": true
    default: false
    }
  }
}
