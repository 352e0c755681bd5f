public import HTTPTypes

/// The grammar that field values share (RFC 9110 §5.6), on UTF-8 bytes.
///
/// Every function accepts an index in `0...bytes.count` and keeps it there.
enum FieldSyntax {
  // One bit for each ASCII code: "!#$%&'*+-.^_`|~", digits and letters (RFC 9110 §5.6.2).
  private static let tokenBelow64: UInt64 = 0x03FF_6CFA_0000_0000
  private static let tokenFrom64: UInt64 = 0x57FF_FFFF_C7FF_FFFE

  static func isToken(_ byte: UInt8) -> Bool {
    guard byte < 0x80 else { return false }
    let set = byte < 64 ? tokenBelow64 : tokenFrom64
    return (set >> UInt64(byte & 63)) & 1 == 1
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  static func skipWhitespace(_ bytes: Span<UInt8>, _ index: inout Int) {
    while index < bytes.count, isWhitespace(bytes[index]) { index += 1 }
  }

  static func skipToken(_ bytes: Span<UInt8>, _ index: inout Int) {
    while index < bytes.count, isToken(bytes[index]) { index += 1 }
  }

  static func skip(_ byte: UInt8, _ bytes: Span<UInt8>, _ index: inout Int) -> Bool {
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(isToken)
  }

  /// Reads `1*DIGIT`; nil without a digit.
  ///
  /// A number above `Int64.max` becomes `Int64.max`, and `overflows` is true.
  static func number(_ bytes: Span<UInt8>, _ index: inout Int) -> (value: Int64, overflows: Bool)? {
    guard index < bytes.count, isDigit(bytes[index]) else { return nil }
    var value: Int64 = 0
    var overflows = false
    while index < bytes.count, isDigit(bytes[index]) {
      let (tenfold, first) = value.multipliedReportingOverflow(by: 10)
      let (sum, second) = tenfold.addingReportingOverflow(Int64(bytes[index] &- 0x30))
      if first || second { overflows = true }
      value = overflows ? .max : sum
      index += 1
    }
    return (value, overflows)
  }

  /// Returns the number that a text consists of; nil if it contains anything else.
  static func number(_ text: String) -> (value: Int64, overflows: Bool)? {
    let bytes = text.utf8Span.span
    var index = 0
    guard let number = number(bytes, &index), index == bytes.count else { return nil }
    return number
  }

  static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte &- 0x30
    case 0x41...0x46: byte &- 0x37
    case 0x61...0x66: byte &- 0x57
    default: nil
    }
  }

  /// Decodes percent-encoded bytes once (RFC 3986 §2.1).
  ///
  /// A percent sign that begins no triplet stays unchanged.
  static func unescaped(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "%")) else { return bytes }
    var result: [UInt8] = []
    var place = 0
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: "%"), place + 2 < bytes.count, let high = hexValue(bytes[place + 1]),
        let low = hexValue(bytes[place + 2])
      {
        result.append(high << 4 | low)
        place += 3
      } else {
        result.append(bytes[place])
        place += 1
      }
    }
    return result
  }
}

extension FieldSyntax {
  /// Reads a quoted string whose opening quote is at `index` (RFC 9110 §5.6.4).
  ///
  /// The value excludes quotes and escapes. If the closing quote is missing, the value extends to the end and `terminated` is
  /// false; a final backslash is then literal.
  static func quotedString(
    _ bytes: Span<UInt8>, _ index: inout Int
  ) -> (value: String, terminated: Bool) {
    index += 1
    let start = index
    var escapes = 0
    while index < bytes.count, bytes[index] != 0x22 {
      if bytes[index] == 0x5C, index + 1 < bytes.count {
        escapes += 1
        index += 1
      }
      index += 1
    }
    let end = index
    let terminated = skip(0x22, bytes, &index)
    guard escapes > 0 else { return (String(copying: bytes, start..<end), terminated) }
    var value: [UInt8] = []
    value.reserveCapacity(end - start - escapes)
    var position = start
    while position < end {
      if bytes[position] == 0x5C, position + 1 < end { position += 1 }
      value.append(bytes[position])
      position += 1
    }
    return (String(decoding: value, as: UTF8.self), terminated)
  }

  /// Skips a quoted string whose opening quote is at `index`.
  static func skipQuotedString(_ bytes: Span<UInt8>, _ index: inout Int) {
    index += 1
    while index < bytes.count, bytes[index] != 0x22 {
      index += bytes[index] == 0x5C && index + 1 < bytes.count ? 2 : 1
    }
    if index < bytes.count { index += 1 }
  }

  /// Writes a quoted string, or the text itself if it is a token.
  ///
  /// With `always`, even a token is quoted.
  static func quoted(_ text: String, always: Bool = false) -> String {
    if !always, isToken(text) { return text }
    var result = "\""
    result.reserveCapacity(text.utf8.count + 2)
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { result.unicodeScalars.append("\\") }
      result.unicodeScalars.append(scalar)
    }
    result += "\""
    return result
  }

  /// Returns whether a quoted string can contain the text.
  ///
  /// A tab is the only control character that it allows.
  static func isQuotable(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
  }
}

/// A `name=value` pair of a field.
public struct FieldParameter: Sendable, Hashable {
  /// The name; parsers convert it to lower case.
  public var name: String
  /// The value without quotes and escapes.
  public var value: String

  /// Creates a parameter, which is checked when it is written.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

extension [FieldParameter] {
  /// The value of the first parameter with a name, ignoring case; nil if absent.
  public subscript(name: String) -> String? {
    first { $0.name.equalsIgnoringASCIICase(name) }?.value
  }
}

extension String {
  /// Copies bytes of a valid string whose range ends next to ASCII bytes.
  init(copying bytes: Span<UInt8>, _ range: Range<Int>) {
    let count = range.count
    // Safe because exactly `count` bytes of the capacity are written, and `bytes` checks its index.
    self.init(unsafeUninitializedCapacity: count) { buffer in
      for offset in 0..<count { buffer[offset] = bytes[range.lowerBound &+ offset] }
      return count
    }
  }

  /// Copies bytes and converts A–Z to lower case.
  init(lowercasing bytes: Span<UInt8>, _ range: Range<Int>) {
    let count = range.count
    // Safe because exactly `count` bytes of the capacity are written, and `bytes` checks its index.
    self.init(unsafeUninitializedCapacity: count) { buffer in
      for offset in 0..<count {
        buffer[offset] = FieldSyntax.lowercased(bytes[range.lowerBound &+ offset])
      }
      return count
    }
  }

  /// The text with A–Z in lower case and all other characters unchanged.
  var asciiLowercased: String {
    guard utf8.contains(where: { $0 &- 0x41 < 26 }) else { return self }
    return String(lowercasing: utf8Span.span, 0..<utf8.count)
  }

  /// Returns whether both texts are equal, ignoring the case of A–Z.
  func equalsIgnoringASCIICase(_ other: String) -> Bool {
    utf8.count == other.utf8.count
      && zip(utf8, other.utf8).allSatisfy { FieldSyntax.lowercased($0) == FieldSyntax.lowercased($1) }
  }
}

extension HTTPField {
  /// The value as text, whatever its bytes are.
  ///
  /// Valid UTF-8 is read as such, any other value as ISO-8859-1, which older servers send (RFC 9110 §5.5). No byte is lost or
  /// replaced.
  public var text: String {
    withUnsafeBytesOfValue { bytes in
      // Safe because the buffer is read inside the closure only.
      String(validating: bytes, as: UTF8.self)
        ?? String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
    }
  }
}
