import CurlewCore
import FoundationEssentials

/// Reads XML property lists: the elements they are made of, and no other XML.
///
/// A document type is passed over without a look, an internal subset is refused, so that no entity can be declared.
struct XMLPropertyListReader {
  /// The list in UTF-8.
  let bytes: [UInt8]
  private let limits: PropertyList.Limits
  private var place = 0
  private var made = 0

  /// - Throws: `PropertyListError` of kind `malformed` when the bytes are not in their charset.
  init(_ bytes: [UInt8], _ limits: PropertyList.Limits) throws(PropertyListError) {
    self.limits = limits
    do throws(CharsetError) {
      // UTF-16 shows by its mark, or by the zeros of its first letters.
      let charset: Charset =
        bytes.starts(with: [0, 0x3C]) ? .utf16BigEndian : bytes.starts(with: [0x3C, 0]) ? .utf16LittleEndian : .utf8
      self.bytes = Array(try CharsetDecoder.string(Data(bytes), as: charset).utf8)
    } catch {
      throw PropertyListError(.malformed)
    }
  }

  mutating func read() throws(PropertyListError) -> PropertyList {
    try skipProlog()
    guard bytes[place...].starts(with: "<".utf8) else { throw PropertyListError(.unrecognized, at: place) }
    let tag = try tag()
    guard tag.name == "plist", !tag.closes else { throw PropertyListError(.unrecognized, at: place) }
    guard !tag.isEmpty, let value = try value(depth: 0) else { throw error(.malformed) }
    try skipSpace()
    guard try self.tag() == Tag(name: "plist", closes: true) else { throw error(.malformed) }
    try skipSpace()
    guard place == bytes.count else { throw error(.malformed) }
    return value
  }

  /// The next value; nil at a closing tag, which is left.
  private mutating func value(depth: Int) throws(PropertyListError) -> PropertyList? {
    try skipSpace()
    let start = place
    let tag = try tag()
    guard !tag.closes else {
      place = start
      return nil
    }
    made += 1
    guard made <= limits.values else { throw PropertyListError(.tooLarge, at: start) }
    switch tag.name {
    case "dict", "array":
      guard depth < limits.depth else { throw PropertyListError(.tooDeep, at: start) }
      guard !tag.isEmpty else { return tag.name == "dict" ? .dictionary([]) : .array([]) }
      return tag.name == "dict" ? .dictionary(try members(depth)) : .array(try elements(depth))
    case "true", "false":
      if !tag.isEmpty { try close(tag.name) }
      return .bool(tag.name == "true")
    case "string": return .string(tag.isEmpty ? "" : try text(until: "string"))
    case "data", "date", "integer", "real":
      let text = tag.isEmpty ? "" : try text(until: tag.name)
      guard let value = Self.scalar(tag.name, text) else { throw PropertyListError(.malformed, at: start) }
      return value
    default: throw PropertyListError(.malformed, at: start)
    }
  }

  private static func scalar(_ name: String, _ text: String) -> PropertyList? {
    let bytes = text.utf8.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let compact = String(decoding: bytes, as: UTF8.self)
    switch name {
    case "data": return Data(base64Encoded: compact).map(PropertyList.data)
    case "date": return PropertyListDate.parse(compact).map(PropertyList.date)
    case "real": return Double(compact).map(PropertyList.real)
    default: return integer(compact)
    }
  }

  /// A decimal number, or a hexadecimal one after `0x`.
  private static func integer(_ text: String) -> PropertyList? {
    let isNegative = text.hasPrefix("-")
    let digits = text.dropFirst(isNegative || text.hasPrefix("+") ? 1 : 0)
    let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
    let rest = isHexadecimal ? digits.dropFirst(2) : digits
    guard let first = rest.utf8.first, first != 0x2B, first != 0x2D,
      let magnitude = UInt64(rest, radix: isHexadecimal ? 16 : 10)
    else { return nil }
    let value = isNegative ? -Int128(magnitude) : Int128(magnitude)
    return value >= Int128(Int64.min) ? .integer(value) : nil
  }

  private mutating func elements(_ depth: Int) throws(PropertyListError) -> [PropertyList] {
    var elements: [PropertyList] = []
    while let element = try value(depth: depth + 1) { elements.append(element) }
    try close("array")
    return elements
  }

  private mutating func members(_ depth: Int) throws(PropertyListError) -> [PropertyList.Member] {
    var members: [PropertyList.Member] = []
    while true {
      try skipSpace()
      let tag = try tag()
      if tag == Tag(name: "dict", closes: true) { return members }
      guard tag.name == "key", !tag.closes else { throw error(.malformed) }
      let name = tag.isEmpty ? "" : try text(until: "key")
      guard let value = try value(depth: depth + 1) else { throw error(.malformed) }
      members.append(PropertyList.Member(name, value))
    }
  }

  private mutating func close(_ name: String) throws(PropertyListError) {
    try skipSpace()
    guard try tag() == Tag(name: name, closes: true) else { throw error(.malformed) }
  }

  private func error(_ kind: PropertyListError.Kind) -> PropertyListError {
    PropertyListError(place >= bytes.count ? .truncated : kind, at: place)
  }

  // MARK: Markup

  private struct Tag: Equatable {
    var name: String
    var closes = false
    var isEmpty = false
  }

  private mutating func skip(_ text: StaticString) -> Bool {
    let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    // Safe because a static string's bytes live as long as the program.
    guard bytes[place...].starts(with: wanted) else { return false }
    place += wanted.count
    return true
  }

  /// Moves behind the next occurrence of a text.
  private mutating func pass(_ end: StaticString) throws(PropertyListError) {
    while place < bytes.count {
      if skip(end) { return }
      place += 1
    }
    throw error(.truncated)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  /// Moves over white space, comments and processing instructions.
  private mutating func skipSpace() throws(PropertyListError) {
    while place < bytes.count {
      if Self.isSpace(bytes[place]) {
        place += 1
      } else if skip("<!--") {
        try pass("-->")
      } else if skip("<?") {
        try pass("?>")
      } else {
        return
      }
    }
  }

  private mutating func skipProlog() throws(PropertyListError) {
    try skipSpace()
    if skip("<!DOCTYPE") {
      while place < bytes.count, bytes[place] != UInt8(ascii: ">") {
        guard bytes[place] != UInt8(ascii: "[") else { throw error(.malformed) }
        place += 1
      }
      guard skip(">") else { throw error(.truncated) }
    }
    try skipSpace()
  }

  /// A tag; attributes are passed over.
  private mutating func tag() throws(PropertyListError) -> Tag {
    guard skip("<") else { throw error(.malformed) }
    let closes = skip("/")
    let start = place
    while place < bytes.count, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[place]) { place += 1 }
    guard place > start else { throw error(.malformed) }
    let name = String(decoding: bytes[start..<place], as: UTF8.self)
    let nameEnd = place
    while place < bytes.count, bytes[place] != UInt8(ascii: ">"), bytes[place] != UInt8(ascii: "/") {
      // A value in quotes may hold what would end the tag.
      let quote = bytes[place]
      guard quote != UInt8(ascii: "<"), place > nameEnd || Self.isSpace(quote) else { throw error(.malformed) }
      place += 1
      guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { continue }
      while place < bytes.count, bytes[place] != quote { place += 1 }
      place += 1
    }
    guard place < bytes.count else { throw error(.truncated) }
    let isEmpty = skip("/")
    guard skip(">"), !(closes && isEmpty) else { throw error(.malformed) }
    return Tag(name: name, closes: closes, isEmpty: isEmpty)
  }

  // MARK: Text

  /// Whether XML 1.0 §2.2 allows a character.
  static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }

  /// The text up to an element's closing tag, which is passed.
  private mutating func text(until name: String) throws(PropertyListError) -> String {
    var text: [UInt8] = []
    while place < bytes.count {
      let byte = bytes[place]
      switch byte {
      case UInt8(ascii: "<"):
        if skip("<![CDATA[") {
          let start = place
          try pass("]]>")
          text += bytes[start..<(place - 3)]
        } else if skip("<!--") {
          try pass("-->")
        } else {
          try close(name)
          return String(decoding: text, as: UTF8.self)
        }
      case UInt8(ascii: "&"): text += try reference().utf8
      case 0x0D:
        // A line break is one line feed, however it was written (XML 1.0 §2.11).
        place += 1
        if place >= bytes.count || bytes[place] != 0x0A { text.append(0x0A) }
      default:
        guard byte >= 0x20 || byte == 0x09 || byte == 0x0A else { throw error(.malformed) }
        text.append(byte)
        place += 1
      }
    }
    throw error(.truncated)
  }

  private mutating func reference() throws(PropertyListError) -> String {
    let start = place
    place += 1
    let nameStart = place
    while place < bytes.count, place - start < 12, bytes[place] != UInt8(ascii: ";") { place += 1 }
    let name = String(decoding: bytes[nameStart..<place], as: UTF8.self)
    guard skip(";") else { throw PropertyListError(.malformed, at: start) }
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      let digits = name.hasPrefix("#x") ? name.dropFirst(2) : name.dropFirst(1)
      guard name.hasPrefix("#"), !digits.hasPrefix("+"), !digits.hasPrefix("-"),
        let value = UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10), let scalar = Unicode.Scalar(value),
        Self.isCharacter(scalar)
      else { throw PropertyListError(.malformed, at: start) }
      return String(Character(scalar))
    }
  }
}
