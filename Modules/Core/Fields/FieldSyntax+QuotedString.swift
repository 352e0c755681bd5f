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
