import FoundationEssentials

/// Reads the parts that items, lists and dictionaries share (RFC 9651 §4.2).
struct StructuredFieldParser {
  typealias Failure = StructuredField.ParseError

  let bytes: [UInt8]
  let limits: StructuredField.Limits
  private(set) var position = 0

  init(_ bytes: [UInt8], limits: StructuredField.Limits) throws(Failure) {
    guard bytes.count <= limits.totalBytes else { throw Failure(.tooManyBytes, at: max(0, limits.totalBytes)) }
    self.bytes = bytes
    self.limits = limits
  }

  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func advance() { position += 1 }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func skipSpaces() {
    while next == UInt8(ascii: " ") { position += 1 }
  }

  mutating func skipOptionalWhitespace() {
    while next == UInt8(ascii: " ") || next == UInt8(ascii: "\t") { position += 1 }
  }

  /// The error for an unexpected byte at the current position, or for the end.
  var unexpected: Failure {
    Failure(next.map { .unexpectedByte($0) } ?? .unexpectedEnd, at: position)
  }

  mutating func expect(_ character: Unicode.Scalar) throws(Failure) {
    guard take(character) else { throw unexpected }
  }

  mutating func expectEnd() throws(Failure) {
    skipSpaces()
    guard next == nil else { throw unexpected }
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

extension StructuredFieldParser {
  /// Parses an inner list or an item, by its first byte (RFC 9651 §4.2.1.1).
  mutating func member() throws(Failure) -> StructuredField.Member {
    next == UInt8(ascii: "(") ? .innerList(try innerList()) : .item(try item())
  }

  /// Parses an inner list (RFC 9651 §4.2.1.2).
  private mutating func innerList() throws(Failure) -> StructuredField.InnerList {
    try expect("(")
    var items: [StructuredField.Item] = []
    while true {
      skipSpaces()
      if take(")") { return StructuredField.InnerList(items, parameters: try parameters()) }
      guard items.count < limits.innerListItems else { throw Failure(.tooManyInnerListItems, at: position) }
      items.append(try item())
      guard next == UInt8(ascii: " ") || next == UInt8(ascii: ")") else { throw unexpected }
    }
  }

  /// Parses an item with its parameters (RFC 9651 §4.2.3).
  mutating func item() throws(Failure) -> StructuredField.Item {
    let value = try bareItem()
    return StructuredField.Item(value, parameters: try parameters())
  }

  /// Parses parameters (RFC 9651 §4.2.3.2).
  mutating func parameters() throws(Failure) -> StructuredField.Parameters {
    var parameters = StructuredField.Parameters()
    while take(";") {
      skipSpaces()
      let start = position
      let key = try key()
      parameters[key] = take("=") ? try bareItem() : .boolean(true)
      guard parameters.count <= limits.parameters else { throw Failure(.tooManyParameters, at: start) }
    }
    return parameters
  }

  /// Parses a key (RFC 9651 §4.2.3.3).
  mutating func key() throws(Failure) -> String {
    let start = position
    guard let first = next, StructuredFieldGrammar.startsKey(first) else { throw unexpected }
    while let byte = next, StructuredFieldGrammar.continuesKey(byte) { position += 1 }
    return text(start..<position)
  }

  /// Moves to the next member; returns false at the end of the value.
  ///
  /// These are the steps after a member in RFC 9651 §4.2.1 and §4.2.2.
  mutating func nextMember() throws(Failure) -> Bool {
    skipOptionalWhitespace()
    guard next != nil else { return false }
    let comma = position
    try expect(",")
    skipOptionalWhitespace()
    guard next != nil else { throw Failure(.trailingComma, at: comma) }
    return true
  }
}

extension StructuredFieldParser {
  /// Parses a bare item (RFC 9651 §4.2.3.1).
  mutating func bareItem() throws(Failure) -> StructuredField.BareItem {
    guard let first = next else { throw unexpected }
    switch first {
    case UInt8(ascii: "-"), StructuredFieldGrammar.digits: return try number()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: ":"): return .byteSequence(try byteSequence())
    case UInt8(ascii: "?"): return .boolean(try boolean())
    case UInt8(ascii: "@"): return .date(try date())
    case UInt8(ascii: "%"): return .displayString(try displayString())
    case let byte where StructuredFieldGrammar.startsToken(byte): return .token(token())
    default: throw unexpected
    }
  }

  /// Parses an integer or a decimal (RFC 9651 §4.2.4).
  private mutating func number() throws(Failure) -> StructuredField.BareItem {
    let negative = take("-")
    let whole = try digits(atMost: 15)
    guard next == UInt8(ascii: ".") else { return .integer(negative ? -whole.value : whole.value) }
    guard whole.count <= 12 else { throw Failure(.numberTooLong, at: position) }
    advance()
    let fraction = try digits(atMost: 3)
    let scale: Int64 = fraction.count == 1 ? 100 : fraction.count == 2 ? 10 : 1
    let thousandths = whole.value * 1000 + fraction.value * scale
    return .decimal(StructuredField.Decimal(thousandths: negative ? -thousandths : thousandths))
  }

  private mutating func digits(atMost limit: Int) throws(Failure) -> (value: Int64, count: Int) {
    guard let first = next, StructuredFieldGrammar.digits.contains(first) else { throw unexpected }
    var value: Int64 = 0
    var count = 0
    while let byte = next, StructuredFieldGrammar.digits.contains(byte) {
      guard count < limit else { throw Failure(.numberTooLong, at: position) }
      value = value * 10 + Int64(byte - UInt8(ascii: "0"))
      count += 1
      advance()
    }
    return (value, count)
  }

  /// Parses a string (RFC 9651 §4.2.5).
  private mutating func string() throws(Failure) -> String {
    try expect("\"")
    var content: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        advance()
        return String(decoding: content, as: UTF8.self)
      case UInt8(ascii: "\\"):
        advance()
        guard let escaped = next, escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") else {
          throw unexpected
        }
        content.append(escaped)
      case 0x20...0x7E:
        content.append(byte)
      default:
        throw unexpected
      }
      advance()
    }
    throw unexpected
  }

  /// Parses a token (RFC 9651 §4.2.6); its first byte was already checked.
  private mutating func token() -> String {
    let start = position
    while let byte = next, StructuredFieldGrammar.continuesToken(byte) { advance() }
    return text(start..<position)
  }

  /// Parses a byte sequence (RFC 9651 §4.2.7).
  ///
  /// The padding may be missing and its bits may be set, as a note of the RFC recommends.
  private mutating func byteSequence() throws(Failure) -> Data {
    try expect(":")
    var content = Data()
    var pending: UInt32 = 0
    var characters = 0
    while let byte = next, let sextet = StructuredFieldGrammar.base64Value(byte) {
      pending = pending << 6 | UInt32(sextet)
      characters += 1
      if characters.isMultiple(of: 4) {
        content.append(contentsOf: [16, 8, 0].map { UInt8(truncatingIfNeeded: pending >> $0) })
        pending = 0
      }
      advance()
    }
    let rest = characters % 4
    let padding = position
    while take("=") {}
    guard position == padding || position - padding == (4 - rest) % 4, rest != 1 else {
      throw Failure(.invalidBase64, at: padding)
    }
    if rest >= 2 { content.append(UInt8(truncatingIfNeeded: pending >> (rest == 2 ? 4 : 10))) }
    if rest == 3 { content.append(UInt8(truncatingIfNeeded: pending >> 2)) }
    try expect(":")
    return content
  }

  /// Parses a boolean (RFC 9651 §4.2.8).
  private mutating func boolean() throws(Failure) -> Bool {
    try expect("?")
    if take("1") { return true }
    try expect("0")
    return false
  }

  /// Parses a date (RFC 9651 §4.2.9).
  private mutating func date() throws(Failure) -> Int64 {
    try expect("@")
    let negative = take("-")
    let seconds = try digits(atMost: 15).value
    return negative ? -seconds : seconds
  }

  /// Parses a display string (RFC 9651 §4.2.10).
  private mutating func displayString() throws(Failure) -> String {
    let start = position
    try expect("%")
    try expect("\"")
    var content: [UInt8] = []
    while let byte = next {
      advance()
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: content, as: UTF8.self) else { throw Failure(.invalidUTF8, at: start) }
        return text
      case UInt8(ascii: "%"):
        content.append(try lowerHexDigit() << 4 | lowerHexDigit())
      case 0x20...0x7E:
        content.append(byte)
      default:
        throw Failure(.unexpectedByte(byte), at: position - 1)
      }
    }
    throw unexpected
  }

  private mutating func lowerHexDigit() throws(Failure) -> UInt8 {
    guard let byte = next else { throw unexpected }
    defer { advance() }
    switch byte {
    case StructuredFieldGrammar.digits: return byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): return byte - UInt8(ascii: "a") + 10
    default: throw unexpected
    }
  }
}

/// The character classes of RFC 9651, for both directions.
enum StructuredFieldGrammar {
  static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

  private static func isLower(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
  }

  static func startsKey(_ byte: UInt8) -> Bool { isLower(byte) || byte == UInt8(ascii: "*") }

  static func continuesKey(_ byte: UInt8) -> Bool {
    switch byte {
    case digits, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "*"): true
    default: isLower(byte)
    }
  }

  static func startsToken(_ byte: UInt8) -> Bool { FieldSyntax.isLetter(byte) || byte == UInt8(ascii: "*") }

  static func continuesToken(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ":") || byte == UInt8(ascii: "/") || FieldSyntax.isToken(byte)
  }

  static func base64Value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 71
    case digits: byte + 4
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
