import FoundationEssentials

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
