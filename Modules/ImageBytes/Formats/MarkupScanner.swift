/// Finds the tags of a markup file, without checking that it is well-formed.
///
/// It knows just enough of XML not to take a comment, a declaration or an attribute value for a tag.
struct MarkupScanner {
  /// One piece of markup.
  enum Token: Equatable {
    case startTag(name: String, attributes: [Attribute], isEmpty: Bool)
    case endTag
    case doctype(name: String)
    /// A comment, a processing instruction or a CDATA section.
    case other
  }

  struct Attribute: Equatable {
    var name: String
    var value: String
  }

  /// The maximum length of a name or value that is kept.
  private static let keptLength = 256
  /// The maximum number of attributes of a tag that are kept.
  private static let keptAttributes = 128

  private(set) var text: MarkupText

  init(_ text: MarkupText) {
    self.text = text
  }

  /// Returns the next piece of markup; nil at the end of the file.
  mutating func next() throws(ImageError) -> Token? {
    try text.skipText()
    guard try text.next() != nil else { return nil }
    switch try unit() {
    case UInt8(ascii: "?"):
      try skip(past: "?>")
      return .other
    case UInt8(ascii: "!"): return try declaration()
    case UInt8(ascii: "/"):
      try skip(past: ">")
      return .endTag
    case let first: return try startTag(first)
    }
  }

  /// Returns the next unit; throws at the end of the file.
  private mutating func unit() throws(ImageError) -> UInt8 {
    guard let unit = try text.next() else { throw .truncated(at: text.offset, needing: text.offset + 1) }
    return unit
  }

  /// Skips everything up to and including some ASCII characters.
  private mutating func skip(past ending: StaticString) throws(ImageError) {
    let ending = Array(ending.description.utf8)
    var last: [UInt8] = []
    while last != ending {
      last.append(try unit())
      if last.count > ending.count { last.removeFirst() }
    }
  }

  private mutating func declaration() throws(ImageError) -> Token {
    let first = try unit()
    if first == UInt8(ascii: "-") {
      _ = try unit()
      try skip(past: "-->")
      return .other
    }
    if first == UInt8(ascii: "[") {
      try skip(past: "]]>")
      return .other
    }
    var (keyword, end) = try name(first)
    guard keyword == "DOCTYPE" else {
      if end != UInt8(ascii: ">") { try skip(past: ">") }
      return .other
    }
    while end.isMarkupSpace { end = try unit() }
    guard end != UInt8(ascii: ">") else { return .doctype(name: "") }
    (keyword, end) = try name(end)
    try skipDoctype(from: end)
    return .doctype(name: keyword)
  }

  /// Skips the rest of a document type declaration, including its internal subset.
  private mutating func skipDoctype(from first: UInt8) throws(ImageError) {
    var current = first
    var isInSubset = false
    while current != UInt8(ascii: ">") || isInSubset {
      switch current {
      case UInt8(ascii: "["): isInSubset = true
      case UInt8(ascii: "]"): isInSubset = false
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        let quote = current
        while try unit() != quote {}
      case UInt8(ascii: "<") where isInSubset:
        current = try unit()
        guard current == UInt8(ascii: "!") else { continue }
        current = try unit()
        guard current == UInt8(ascii: "-") else { continue }
        try skip(past: "-->")
      default: break
      }
      current = try unit()
    }
  }

  /// Returns a name whose first unit has been read, and the unit after it.
  private mutating func name(_ first: UInt8) throws(ImageError) -> (String, UInt8) {
    var units: [UInt8] = []
    var current = first
    while !current.isMarkupSpace, !current.endsName {
      if units.count < Self.keptLength { units.append(current) }
      current = try unit()
    }
    return (String(decoding: units, as: UTF8.self), current)
  }

  private mutating func startTag(_ first: UInt8) throws(ImageError) -> Token {
    var (name, current) = try name(first)
    var attributes: [Attribute] = []
    while true {
      while current.isMarkupSpace { current = try unit() }
      if current == UInt8(ascii: ">") {
        return .startTag(name: name, attributes: attributes, isEmpty: false)
      }
      if current == UInt8(ascii: "/") {
        current = try unit()
        if current == UInt8(ascii: ">") { return .startTag(name: name, attributes: attributes, isEmpty: true) }
        continue
      }
      let attribute: Attribute
      (attribute, current) = try self.attribute(current)
      if attributes.count < Self.keptAttributes { attributes.append(attribute) }
    }
  }

  private mutating func attribute(_ first: UInt8) throws(ImageError) -> (Attribute, UInt8) {
    let offset = text.offset
    var (name, current) = try name(first)
    while current.isMarkupSpace { current = try unit() }
    guard !name.isEmpty, current == UInt8(ascii: "=") else {
      throw ImageError(.malformed, at: offset, "Expected an attribute with a name and a value.")
    }
    current = try unit()
    while current.isMarkupSpace { current = try unit() }
    guard current == UInt8(ascii: "\"") || current == UInt8(ascii: "'") else {
      throw ImageError(.malformed, at: offset, "Expected a quoted attribute value.")
    }
    var value: [UInt8] = []
    while case let next = try unit(), next != current {
      if value.count < Self.keptLength { value.append(next) }
    }
    return (Attribute(name: name, value: String(decoding: value, as: UTF8.self)), try unit())
  }
}

extension UInt8 {
  fileprivate var isMarkupSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

  fileprivate var endsName: Bool {
    self == UInt8(ascii: ">") || self == UInt8(ascii: "/") || self == UInt8(ascii: "=") || self == UInt8(ascii: "[")
      || self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") || self == UInt8(ascii: "<")
  }
}

/// Reads the characters of a markup file in UTF-8 or UTF-16.
///
/// Only ASCII matters for finding tags; every other unit is read as `0xFF`.
struct MarkupText {
  private var bytes: ByteReader
  private let unitSize: Int
  /// The offset of the next unit.
  var offset: Int { bytes.position }

  /// Detects the encoding by the byte order mark or the zeros around the first `<`.
  init(_ file: ByteReader) throws(ImageError) {
    bytes = file
    let first = try file.uint8(at: 0)
    // Only these first bytes require a second one; a short text must not ask for more than it has.
    let second = [0x00, 0x3C, 0xFE, 0xFF].contains(first) ? try file.uint8(at: 1) : 1
    switch (first, second) {
    case (0xFE, 0xFF), (0x00, 0x3C): bytes.order = .bigEndian
    case (0xFF, 0xFE), (0x3C, 0x00): bytes.order = .littleEndian
    default:
      unitSize = 1
      if first == 0xEF, try file.matches([0xEF, 0xBB, 0xBF], at: 0) { try bytes.skip(3) }
      return
    }
    unitSize = 2
    if first >= 0xFE { try bytes.skip(2) }
  }

  /// Returns the next unit; nil at the end of the file.
  mutating func next() throws(ImageError) -> UInt8? {
    guard try bytes.hasMore() else { return nil }
    let unit = try unitSize == 1 ? bytes.uint8() : bytes.uint16()
    return unit < 0x80 ? UInt8(truncatingIfNeeded: unit) : 0xFF
  }

  /// Moves to the next `<`, or to the end.
  mutating func skipText() throws(ImageError) {
    guard unitSize == 1 else {
      while true {
        let before = bytes
        guard let unit = try next() else { return }
        if unit == UInt8(ascii: "<") {
          bytes = before
          return
        }
      }
    }
    try bytes.move(to: bytes.firstOffset(of: UInt8(ascii: "<")) ?? max(bytes.position, bytes.availableBytes))
  }
}
