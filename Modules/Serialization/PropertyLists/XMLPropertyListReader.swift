import CurlewCore
import FoundationEssentials

/// Reads XML property lists; supports only the XML that they consist of.
///
/// A document type declaration is skipped. An internal subset is an error, so that no entity can be declared.
struct XMLPropertyListReader {
  /// The list in UTF-8.
  let bytes: [UInt8]
  private let limits: PropertyList.Limits
  private var place = 0
  private var made = 0

  /// Decodes the bytes of a list to UTF-8.
  ///
  /// - Throws: `PropertyListError` of kind `encoding` when the encoding is unsupported or the bytes violate it.
  init(_ bytes: [UInt8], _ limits: PropertyList.Limits) throws(PropertyListError) {
    self.limits = limits
    do throws(CharsetError) {
      self.bytes = Array(try CharsetDecoder.string(Data(bytes), as: try Self.charset(of: bytes)).utf8)
    } catch {
      throw PropertyListError(.encoding, "\(error)")
    }
  }

  /// Returns the encoding of a list without a byte order mark.
  ///
  /// UTF-16 is detected by zeros in the first characters; any other encoding is the declared one, or UTF-8.
  private static func charset(of bytes: [UInt8]) throws(CharsetError) -> Charset {
    if bytes.starts(with: [0, 0x3C]) { return .utf16BigEndian }
    if bytes.starts(with: [0x3C, 0]) { return .utf16LittleEndian }
    guard let label = declaredEncoding(bytes), let charset = Charset(label: label) else { return .utf8 }
    // The declaration was read as single bytes, so the list cannot be in UTF-16 or UTF-32.
    guard !charset.name.hasPrefix("utf-16"), !charset.name.hasPrefix("utf-32") else {
      throw CharsetError(.malformed, charset: charset)
    }
    return charset
  }

  /// Returns the encoding that an XML declaration names; nil without such a name.
  private static func declaredEncoding(_ bytes: [UInt8]) -> String? {
    var rest = bytes.prefix(1024)[...]
    guard rest.starts(with: "<?xml".utf8) else { return nil }
    rest = rest.dropFirst(5)
    while true {
      rest = rest.drop(while: isSpace)
      let name = rest.prefix { $0 != UInt8(ascii: "=") && !isSpace($0) }
      rest = rest.dropFirst(name.count).drop(while: isSpace)
      guard rest.popFirst() == UInt8(ascii: "=") else { return nil }
      rest = rest.drop(while: isSpace)
      guard let quote = rest.popFirst(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
      let value = rest.prefix { $0 != quote }
      if name.elementsEqual("encoding".utf8) { return String(decoding: value, as: UTF8.self) }
      rest = rest.dropFirst(value.count + 1)
    }
  }

  mutating func read() throws(PropertyListError) -> PropertyList {
    try skipProlog()
    guard bytes[place...].starts(with: "<".utf8) else { throw PropertyListError(.unrecognized, at: place) }
    let tag = try tag()
    guard tag.name == "plist", !tag.closes else { throw PropertyListError(.unrecognized, at: place) }
    let start = place
    guard !tag.isEmpty, let value = try value(depth: 0) else {
      throw PropertyListError(.malformed, at: start, "the plist element is empty; expected one value in it")
    }
    try skipSpace()
    let end = place
    guard try self.tag() == Tag(name: "plist", closes: true) else {
      throw error(.malformed, "expected </plist> after the one value", at: end)
    }
    try skipSpace()
    guard place == bytes.count else { throw error(.malformed, "expected the end of the list after </plist>") }
    return value
  }

  /// Returns the next value; nil at a closing tag, which is not skipped.
  private mutating func value(depth: Int) throws(PropertyListError) -> PropertyList? {
    try skipSpace()
    let start = place
    let tag = try tag()
    guard !tag.closes else {
      place = start
      return nil
    }
    made += 1
    guard made <= limits.values else {
      throw PropertyListError(.tooLarge, at: start, "the list has more than \(limits.values) values")
    }
    switch tag.name {
    case "dict", "array":
      guard depth < limits.depth else {
        throw PropertyListError(.tooDeep, at: start, "containers are nested deeper than \(limits.depth) levels")
      }
      guard !tag.isEmpty else { return tag.name == "dict" ? .dictionary([]) : .array([]) }
      return tag.name == "dict" ? .dictionary(try members(depth)) : .array(try elements(depth))
    case "true", "false":
      if !tag.isEmpty { try close(tag.name) }
      return .bool(tag.name == "true")
    case "string": return .string(tag.isEmpty ? "" : try text(until: "string"))
    case "data", "date", "integer", "real":
      let text = tag.isEmpty ? "" : try text(until: tag.name)
      guard let value = Self.scalar(tag.name, text) else {
        throw PropertyListError(.malformed, at: start, Self.expectation(tag.name))
      }
      return value
    default:
      throw PropertyListError(
        .malformed, at: start,
        "this element is unknown; expected dict, array, string, data, date, integer, real, true or false")
    }
  }

  private static func scalar(_ name: String, _ text: String) -> PropertyList? {
    if name == "data" {
      return Data(base64Encoded: Data(text.utf8.filter { !isSpace($0) })).map(PropertyList.data)
    }
    // White space is only allowed around the value: `1 2` is not 12.
    let start = text.utf8.drop(while: isSpace)
    let end = start.lastIndex { !isSpace($0) }
    let trimmed = end.map { String(decoding: start[...$0], as: UTF8.self) } ?? ""
    // Other characters are in no date and no number, and comparing very many combining marks would take very long.
    guard trimmed.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    switch name {
    case "date": return PropertyListDate.parse(trimmed).map(PropertyList.date)
    case "real": return real(trimmed).map(PropertyList.real)
    default: return integer(trimmed)
    }
  }

  /// Returns the message for an element with invalid content.
  private static func expectation(_ name: String) -> String {
    switch name {
    case "data": "expected base64 in the data element"
    case "date": "expected a date such as 2001-02-03T04:05:06Z in the date element"
    case "real": "expected a number within the range of Double in the real element"
    default: "expected a whole number from Int64.min to UInt64.max in the integer element"
    }
  }

  /// Reads a decimal number, NaN or an infinity; nil if a number is out of range.
  private static func real(_ text: String) -> Double? {
    switch text.lowercased() {
    case "nan": return .nan
    case "inf", "+inf", "infinity", "+infinity": return .infinity
    case "-inf", "-infinity": return -.infinity
    default:
      // Swift would also read hexadecimal numbers.
      let isPlain = text.utf8.allSatisfy {
        ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E || $0 | 0x20 == 0x65
      }
      guard isPlain, let number = Double(text), number.isFinite else { return nil }
      return number
    }
  }

  /// Returns a decimal number, or a hexadecimal one after `0x`.
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
      let start = place
      let tag = try tag()
      if tag == Tag(name: "dict", closes: true) { return members }
      guard tag.name == "key", !tag.closes else {
        throw error(.malformed, "expected <key> or </dict> in a dictionary", at: start)
      }
      let name = tag.isEmpty ? "" : try text(until: "key")
      guard let value = try value(depth: depth + 1) else { throw error(.malformed, "expected a value after a key") }
      members.append(PropertyList.Member(name, value))
    }
  }

  private mutating func close(_ name: String) throws(PropertyListError) {
    try skipSpace()
    let start = place
    guard try tag() == Tag(name: name, closes: true) else { throw error(.malformed, "expected </\(name)>", at: start) }
  }

  /// Returns an error at a position, by default the current one.
  ///
  /// At the end of the bytes its kind is `truncated`.
  private func error(_ kind: PropertyListError.Kind, _ reason: String, at start: Int? = nil) -> PropertyListError {
    guard place < bytes.count else { return PropertyListError(.truncated, at: bytes.count) }
    return PropertyListError(kind, at: start ?? place, reason)
  }

  // MARK: Markup

  private struct Tag: Equatable {
    var name: String
    var closes = false
    var isEmpty = false
  }

  private mutating func skip(_ text: StaticString) -> Bool {
    let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    // Safe because the bytes of a static string live as long as the program.
    guard bytes[place...].starts(with: wanted) else { return false }
    place += wanted.count
    return true
  }

  /// Moves past the next occurrence of a text.
  private mutating func pass(_ end: StaticString) throws(PropertyListError) {
    while place < bytes.count {
      if skip(end) { return }
      place += 1
    }
    throw PropertyListError(.truncated, at: bytes.count)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  /// Skips white space, comments and processing instructions.
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
        guard bytes[place] != UInt8(ascii: "[") else {
          throw error(.malformed, "the DOCTYPE of a property list must not contain declarations")
        }
        place += 1
      }
      guard skip(">") else { throw PropertyListError(.truncated, at: bytes.count) }
    }
    try skipSpace()
  }

  /// Returns a tag; skips its attributes.
  private mutating func tag() throws(PropertyListError) -> Tag {
    guard skip("<") else { throw error(.malformed, "expected a tag, found text") }
    let closes = skip("/")
    let start = place
    while place < bytes.count, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[place]) { place += 1 }
    guard place > start else { throw error(.malformed, "expected the name of an element after <") }
    let name = String(decoding: bytes[start..<place], as: UTF8.self)
    let nameEnd = place
    while place < bytes.count, bytes[place] != UInt8(ascii: ">"), bytes[place] != UInt8(ascii: "/") {
      // A quoted value may contain the character that ends the tag.
      let quote = bytes[place]
      guard quote != UInt8(ascii: "<"), place > nameEnd || Self.isSpace(quote) else {
        throw error(.malformed, "expected > at the end of a tag")
      }
      place += 1
      guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { continue }
      while place < bytes.count, bytes[place] != quote { place += 1 }
      place += 1
    }
    guard place < bytes.count else { throw PropertyListError(.truncated, at: bytes.count) }
    let isEmpty = skip("/")
    guard skip(">"), !(closes && isEmpty) else { throw error(.malformed, "expected > at the end of a tag") }
    return Tag(name: name, closes: closes, isEmpty: isEmpty)
  }

  // MARK: Text

  /// Returns whether XML 1.0 §2.2 allows a character.
  static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }

  /// Returns the text before an element's closing tag, and skips that tag.
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
        // Every line break is read as a line feed (XML 1.0 §2.11).
        place += 1
        if place >= bytes.count || bytes[place] != 0x0A { text.append(0x0A) }
      default:
        guard byte >= 0x20 || byte == 0x09 || byte == 0x0A else {
          throw error(.malformed, "XML does not allow control characters in text")
        }
        text.append(byte)
        place += 1
      }
    }
    throw PropertyListError(.truncated, at: bytes.count)
  }

  private mutating func reference() throws(PropertyListError) -> String {
    let start = place
    place += 1
    let nameStart = place
    while place < bytes.count, place - start < 12, bytes[place] != UInt8(ascii: ";") { place += 1 }
    let name = String(decoding: bytes[nameStart..<place], as: UTF8.self)
    guard skip(";") else {
      throw PropertyListError(.malformed, at: start, "expected ; after the name of a reference")
    }
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
      else {
        throw PropertyListError(
          .malformed, at: start, "expected &amp; &lt; &gt; &quot; &apos; or the number of a character")
      }
      return String(Character(scalar))
    }
  }
}
