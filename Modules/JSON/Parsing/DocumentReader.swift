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
