public import HTTPTypes

extension ContentDisposition {
  /// Reads the first `Content-Disposition` line of a message; nil if absent.
  ///
  /// Bytes that are not UTF-8 are read as ISO-8859-1.
  public init?(of fields: HTTPFields) {
    guard let field = fields[fields: .contentDisposition].first else { return nil }
    self.init(field.text)
  }

  /// Reads a field value; it never fails.
  ///
  /// A value that makes no sense has no file name. Parsing is as lenient as in browsers: an unquoted value extends to the next
  /// semicolon, including spaces and commas; a parameter without a value, or with an unterminated quote, is ignored; of
  /// parameters with the same name, the first counts.
  public init(_ text: String, dialect: Dialect = .header) {
    let bytes = text.utf8Span.span
    var index = 0
    while index < bytes.count, bytes[index] != 0x3B { index += 1 }
    let range = Self.trimmed(bytes, 0..<index)
    self.init(type: String(lowercasing: bytes, range), parameters: [])
    while index < bytes.count, parameters.count < Self.maximumParameters {
      index += 1  // The semicolon.
      takeParameter(bytes, &index, dialect)
    }
  }

  /// Reads one parameter and moves to the semicolon after it.
  private mutating func takeParameter(_ bytes: Span<UInt8>, _ index: inout Int, _ dialect: Dialect) {
    let nameStart = index
    while index < bytes.count, bytes[index] != 0x3B, bytes[index] != 0x3D { index += 1 }
    let name = Self.trimmed(bytes, nameStart..<index)
    guard FieldSyntax.skip(0x3D, bytes, &index) else { return }
    FieldSyntax.skipWhitespace(bytes, &index)
    let isQuoted = index < bytes.count && bytes[index] == 0x22
    let value: String?
    if isQuoted {
      value = dialect == .formData ? Self.formValue(bytes, &index) : Self.quotedValue(bytes, &index)
      while index < bytes.count, bytes[index] != 0x3B { index += 1 }
    } else {
      let start = index
      while index < bytes.count, bytes[index] != 0x3B { index += 1 }
      value = String(copying: bytes, Self.trimmed(bytes, start..<index))
    }
    guard let value, !name.isEmpty else { return }
    take(String(lowercasing: bytes, name), value, isQuoted: isQuoted, dialect)
  }

  private mutating func take(_ name: String, _ value: String, isQuoted: Bool, _ dialect: Dialect) {
    guard parameters[name] == nil else { return }
    parameters.append(FieldParameter(name: name, value: value))
    guard dialect != .plain, !isQuoted, name.utf8.count > 1, name.utf8.last == 0x2A,
      let decoded = ExtendedValue.decode(value)
    else { return }
    let plainName = String(name.dropLast())
    if let index = parameters.firstIndex(where: { $0.name == plainName }) {
      parameters[index].value = decoded
    } else {
      parameters.append(FieldParameter(name: plainName, value: decoded))
    }
  }

  private static func quotedValue(_ bytes: Span<UInt8>, _ index: inout Int) -> String? {
    let (value, terminated) = FieldSyntax.quotedString(bytes, &index)
    return terminated ? value : nil
  }

  /// Reads a quoted value in which a backslash is an ordinary character.
  private static func formValue(_ bytes: Span<UInt8>, _ index: inout Int) -> String? {
    index += 1
    var value: [UInt8] = []
    while index < bytes.count, bytes[index] != 0x22 {
      if let escaped = formEscape(bytes, index) {
        value.append(escaped)
        index += 3
      } else {
        value.append(bytes[index])
        index += 1
      }
    }
    return FieldSyntax.skip(0x22, bytes, &index) ? String(decoding: value, as: UTF8.self) : nil
  }

  /// Returns the quote or line break whose percent escape starts at `index`.
  ///
  /// Nil for all other escapes, which stay text.
  private static func formEscape(_ bytes: Span<UInt8>, _ index: Int) -> UInt8? {
    guard index + 2 < bytes.count, bytes[index] == 0x25 else { return nil }
    switch (bytes[index + 1], bytes[index + 2]) {
    case (0x32, 0x32): return 0x22
    case (0x30, 0x41), (0x30, 0x61): return 0x0A
    case (0x30, 0x44), (0x30, 0x64): return 0x0D
    default: return nil
    }
  }

  private static func trimmed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, FieldSyntax.isWhitespace(bytes[start]) { start += 1 }
    while end > start, FieldSyntax.isWhitespace(bytes[end - 1]) { end -= 1 }
    return start..<end
  }
}
