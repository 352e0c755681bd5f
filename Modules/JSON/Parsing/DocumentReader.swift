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

/// Validates UTF-8 strictly (RFC 3629 §4).
///
/// Overlong forms, surrogates and values beyond U+10FFFF are errors.
enum UTF8Validation {
  /// Returns the offset of the first ill-formed sequence; nil if all are well-formed.
  static func firstFault(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let start = bytes.baseAddress else { return nil }
    let end = start + bytes.count
    var cursor = start
    while cursor < end {
      let length: Int
      if end - cursor >= 8 {
        let word = WordScan.load(cursor)
        if word & WordScan.highs == 0 {
          cursor += 8
          continue
        }
        length = sequenceLength(UInt32(truncatingIfNeeded: word))
      } else {
        length = sequenceLength(lastBytes(cursor, end - cursor))
      }
      guard length > 0 else { return cursor - start }
      cursor += length
    }
    return nil
  }

  /// Returns the length of the sequence at the low byte of `word`.
  ///
  /// Zero if ill-formed.
  ///
  /// Masks select the bits that mark lead and continuation bytes. If those are right, the remaining bits of the first
  /// two bytes reveal overlong forms, surrogates and values that are too large.
  private static func sequenceLength(_ word: UInt32) -> Int {
    if word & 0x80 == 0 { return 1 }
    if word & 0x00C0_C0F0 == 0x0080_80E0 {
      // E0 is followed by A0…BF, and ED by 80…9F.
      let bits = word & 0x200F
      return bits == 0x0000 || bits == 0x200D ? 0 : 3
    }
    if word & 0xC0E0 == 0x80C0 {
      // C0 and C1 would be overlong.
      return word & 0x1E == 0 ? 0 : 2
    }
    if word & 0xC0C0_C0F8 == 0x8080_80F0 {
      // F0 is followed by 90…BF, and F4, the last lead byte, by 80…8F.
      if word & 0x3007 == 0 { return 0 }
      return word & 0x04 != 0 && word & 0x3003 != 0 ? 0 : 4
    }
    return 0
  }

  /// Returns the last bytes, fewer than eight, padded with zeros.
  private static func lastBytes(_ cursor: UnsafePointer<UInt8>, _ count: Int) -> UInt32 {
    var word: UInt32 = 0
    for place in 0..<min(count, 4) { word |= UInt32(cursor[place]) << UInt32(8 * place) }
    return word
  }
}

/// Examines eight bytes at once.
///
/// A word's lowest byte is the first in memory (little-endian).
enum WordScan {
  static let ones: UInt64 = 0x0101_0101_0101_0101
  static let highs: UInt64 = 0x8080_8080_8080_8080

  static func load(_ pointer: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(pointer).loadUnaligned(as: UInt64.self))
  }

  /// Marks the first byte that ends a run of plain string bytes.
  ///
  /// Its high bit is set for a quote, backslash or control character.
  ///
  /// Bits above the lowest set one may be wrong, because a borrow carries upwards.
  static func stringEnds(_ word: UInt64) -> UInt64 {
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let found = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- ones &* 0x20) & ~word)
    return found & highs
  }

  /// Marks the bytes that are not ASCII digits, correct up to the first such byte.
  static func nonDigits(_ word: UInt64) -> UInt64 {
    let offset = word ^ (ones &* 0x30)
    return ((offset &+ ones &* 0x76) | offset) & highs
  }

  /// Returns the number that eight ASCII digits represent.
  static func eightDigits(_ word: UInt64) -> UInt64 {
    var value = word & (ones &* 0x0F)
    value = (value &* 2561) >> 8 & 0x00FF_00FF_00FF_00FF
    value = (value &* 6_553_601) >> 16 & 0x0000_FFFF_0000_FFFF
    return (value &* 42_949_672_960_001) >> 32
  }
}
