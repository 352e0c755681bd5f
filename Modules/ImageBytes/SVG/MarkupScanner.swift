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
