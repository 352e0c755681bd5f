/// Reads the tokens of one JSON document.
///
/// The reader is a small constant that stays in registers; the current position is in the cursor that callers pass
/// along.
struct DocumentReader {
  let start: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>
  let maximumStringBytes: Int
  let maximumNumberBytes: Int
  let replacesLoneSurrogates: Bool

  init(start: UnsafePointer<UInt8>, count: Int, options: JSONParsingOptions) {
    self.start = start
    end = start + count
    maximumStringBytes = options.maximumStringBytes
    maximumNumberBytes = options.maximumNumberBytes
    replacesLoneSurrogates = options.loneSurrogates == .replace
  }

  func number(_ cursor: inout UnsafePointer<UInt8>) throws(ParseFailure) -> JSONNumber {
    do {
      return try NumberScanner.scan(&cursor, end: end, limit: maximumNumberBytes)
    } catch {
      throw failure(error.kind, cursor)
    }
  }

  func word(_ word: StaticString, _ cursor: inout UnsafePointer<UInt8>) throws(ParseFailure) {
    let text = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    for byte in text {
      guard cursor < end else { throw failure(.unexpectedEnd, cursor) }
      guard cursor.pointee == byte else { throw failure(expected: "a value, such as true, false or null", cursor) }
      cursor += 1
    }
  }

  func skipWhiteSpace(_ cursor: inout UnsafePointer<UInt8>) {
    guard cursor < end, cursor.pointee <= 0x20 else { return }
    skipWhiteSpaceRun(&cursor)
  }

  func skipWhiteSpaceRun(_ cursor: inout UnsafePointer<UInt8>) {
    while cursor < end {
      switch cursor.pointee {
      case 0x20, 0x0A, 0x0D, 0x09: cursor += 1
      default: return
      }
      // Indentation comes in runs of spaces.
      while end - cursor >= 8, WordScan.load(cursor) == WordScan.ones &* 0x20 { cursor += 8 }
    }
  }

  func failure(expected: StaticString, _ cursor: UnsafePointer<UInt8>) -> ParseFailure {
    ParseFailure(kind: .unexpectedCharacter, offset: cursor - start, expected: expected)
  }

  func failure(_ kind: JSONError.Kind, _ cursor: UnsafePointer<UInt8>) -> ParseFailure {
    ParseFailure(kind: kind, offset: cursor - start)
  }
}

extension DocumentReader {
  /// The bytes of a string between its quotes, as written.
  struct RawString {
    let start: UnsafePointer<UInt8>
    let count: Int
    let hasEscapes: Bool
    let isASCII: Bool

    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }
  }

  /// Reads a string from its opening quote up to and including the closing one.
  func string(_ cursor: inout UnsafePointer<UInt8>) throws(ParseFailure) -> String {
    let raw = try rawString(&cursor)
    return try text(of: raw)
  }

  /// Finds the closing quote.
  func rawString(_ cursor: inout UnsafePointer<UInt8>) throws(ParseFailure) -> RawString {
    cursor += 1
    let first = cursor
    var nonASCII: UInt64 = 0
    var hasEscapes = false
    while true {
      while end - cursor >= 8 {
        let word = WordScan.load(cursor)
        let stops = WordScan.stringEnds(word)
        if stops != 0 {
          // Only the bytes before the first stop belong to the string.
          nonASCII |= word & (stops & (0 &- stops) &- 1)
          cursor += stops.trailingZeroBitCount >> 3
          break
        }
        nonASCII |= word
        cursor += 8
      }
      while cursor < end, !Self.endsRun(cursor.pointee) {
        nonASCII |= UInt64(cursor.pointee)
        cursor += 1
      }
      guard cursor < end else { throw failure(.unexpectedEnd, cursor) }
      if cursor.pointee == UInt8(ascii: "\"") { break }
      guard cursor.pointee == UInt8(ascii: "\\") else { throw failure(.controlCharacter, cursor) }
      guard end - cursor >= 2 else { throw failure(.unexpectedEnd, end) }
      guard cursor[1] >= 0x20 else { throw failure(.invalidEscape, cursor) }
      hasEscapes = true
      cursor += 2
    }
    let raw = RawString(
      start: first, count: cursor - first, hasEscapes: hasEscapes, isASCII: nonASCII & WordScan.highs == 0)
    guard raw.count <= maximumStringBytes else { throw failure(.stringTooLong, first - 1) }
    cursor += 1
    return raw
  }

  private static func endsRun(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20
  }

  func text(of raw: RawString) throws(ParseFailure) -> String {
    if raw.hasEscapes { return try unescaped(raw) }
    if !raw.isASCII { try checkUTF8(raw) }
    return Self.string(raw.bytes, isASCII: raw.isASCII)
  }

  private func checkUTF8(_ raw: RawString) throws(ParseFailure) {
    if let fault = UTF8Validation.firstFault(in: raw.bytes) { throw failure(.invalidUTF8, raw.start + fault) }
  }

  private func unescaped(_ raw: RawString) throws(ParseFailure) -> String {
    if !raw.isASCII { try checkUTF8(raw) }
    // The unescaped text is never longer than the escaped one.
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: raw.count)
    defer { buffer.deallocate() }
    var output = EscapeReader(
      output: buffer, isASCII: raw.isASCII, replacesLoneSurrogates: replacesLoneSurrogates)
    do {
      try output.read(raw.bytes)
    } catch {
      throw failure(error.kind, raw.start + error.offset)
    }
    return Self.string(UnsafeBufferPointer(rebasing: buffer[..<output.count]), isASCII: output.isASCII)
  }

  /// Creates a string from bytes that have been validated.
  private static func string(_ bytes: UnsafeBufferPointer<UInt8>, isASCII: Bool) -> String {
    // Safe because the bytes are well-formed: ASCII by the scan, or UTF-8 by the validation of what they were read from.
    String(copying: UTF8Span(unchecked: bytes.span, isKnownASCII: isASCII))
  }
}
