public import HTTPTypes

extension MediaType {
  /// Reads the `Content-Type` lines of a message; nil if none is usable.
  ///
  /// If there are several values, in lines or separated by commas, the last readable one counts. It inherits the `charset` of
  /// an earlier one with the same type and subtype, as in browsers (Fetch Standard, "extract a MIME type").
  public init?(of fields: HTTPFields) {
    guard let text = fields.value(of: .contentType) else { return nil }
    guard text.utf8.contains(0x2C) else {
      self.init(text)
      return
    }
    var last: MediaType?
    for element in FieldList(text) {
      guard var next = MediaType(String(element)), !next.hasSameEssence(as: .any) else { continue }
      if let last, last.hasSameEssence(as: next), next["charset"] == nil, let charset = last["charset"] {
        next = next.setting("charset", to: charset) ?? next
      }
      last = next
    }
    guard let last else { return nil }
    self = last
  }

  /// Reads a `Content-Type` value; nil without a valid type and subtype.
  ///
  /// Browsers read it in the same way: a malformed parameter is ignored, the first of equal names counts, and an unterminated
  /// quote extends to the end.
  public init?(_ text: String) {
    guard let value = Self.parse(text.utf8Span.span) else { return nil }
    self = value
  }

  private static func parse(_ bytes: Span<UInt8>) -> MediaType? {
    var end = bytes.count
    while end > 0, isSpace(bytes[end - 1]) { end -= 1 }
    var index = 0
    while index < end, isSpace(bytes[index]) { index += 1 }

    let typeStart = index
    FieldSyntax.skipToken(bytes, &index)
    let typeEnd = index
    guard typeEnd > typeStart, FieldSyntax.skip(0x2F, bytes, &index) else { return nil }
    let subtypeStart = index
    FieldSyntax.skipToken(bytes, &index)
    let subtypeEnd = index
    while index < end, isSpace(bytes[index]) { index += 1 }
    guard subtypeEnd > subtypeStart, index >= end || bytes[index] == 0x3B else { return nil }
    return MediaType(
      uncheckedType: String(lowercasing: bytes, typeStart..<typeEnd),
      subtype: String(lowercasing: bytes, subtypeStart..<subtypeEnd),
      parameters: index < end ? parameters(bytes.extracting(..<end), index) : [])
  }

  private static func parameters(_ bytes: Span<UInt8>, _ start: Int) -> [FieldParameter] {
    var result: [FieldParameter] = []
    var index = start
    while index < bytes.count, result.count < maximumParameters {
      index += 1  // The semicolon.
      while index < bytes.count, isSpace(bytes[index]) { index += 1 }
      let nameStart = index
      var nameIsToken = true
      while index < bytes.count, bytes[index] != 0x3B, bytes[index] != 0x3D {
        nameIsToken = nameIsToken && FieldSyntax.isToken(bytes[index])
        index += 1
      }
      let nameEnd = index
      guard FieldSyntax.skip(0x3D, bytes, &index) else { continue }
      guard let value = value(bytes, &index), nameIsToken, nameEnd > nameStart else { continue }
      let name = String(lowercasing: bytes, nameStart..<nameEnd)
      if !result.contains(where: { $0.name == name }) {
        result.append(FieldParameter(name: name, value: value))
      }
    }
    return result
  }

  /// Reads a value and moves to the semicolon after it.
  ///
  /// Nil if the parameter is to be ignored.
  private static func value(_ bytes: Span<UInt8>, _ index: inout Int) -> String? {
    if index < bytes.count, bytes[index] == 0x22 {
      let value = FieldSyntax.quotedString(bytes, &index).value
      while index < bytes.count, bytes[index] != 0x3B { index += 1 }
      return isParameterValue(value) ? value : nil
    }
    let start = index
    var isValid = true
    while index < bytes.count, bytes[index] != 0x3B {
      isValid = isValid && isValueByte(bytes[index])
      index += 1
    }
    var end = index
    while end > start, isSpace(bytes[end - 1]) { end -= 1 }
    // The trimmed text may contain a line break, which a value must not.
    if !isValid { isValid = (start..<end).allSatisfy { isValueByte(bytes[$0]) } }
    return isValid && end > start ? String(copying: bytes, start..<end) : nil
  }

  static func isParameterValue(_ value: String) -> Bool {
    value.utf8.allSatisfy(isValueByte)
  }

  /// Returns whether a byte may occur in a parameter value.
  ///
  /// In UTF-8, U+0080 to U+00FF start with C2 or C3, all later characters with a higher byte.
  private static func isValueByte(_ byte: UInt8) -> Bool {
    byte == 0x09 || (byte >= 0x20 && byte != 0x7F && byte < 0xC4)
  }

  /// Returns whether a byte is whitespace (MIME Sniffing §4.4).
  ///
  /// Unlike in other fields, that includes line breaks.
  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}
