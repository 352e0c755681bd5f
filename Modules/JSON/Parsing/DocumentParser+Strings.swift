extension DocumentParser {
  /// A string's bytes between the quotes, as written.
  private struct RawString {
    let start: UnsafePointer<UInt8>
    let count: Int
    let hasEscapes: Bool
    let isASCII: Bool

    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }
  }

  /// Reads a string from its opening quote to behind the closing one.
  @inline(__always)
  func string(_ cursor: inout UnsafePointer<UInt8>) throws(ParseFailure) -> String {
    let raw = try scan(&cursor)
    return try text(of: raw)
  }

  /// Reads a member's name and hashes it.
  @inline(__always)
  func nameText(_ cursor: inout UnsafePointer<UInt8>) throws(ParseFailure) -> (String, UInt32) {
    let raw = try scan(&cursor)
    guard !raw.hasEscapes else {
      let text = try unescaped(raw)
      return (text, NameHash.hash(text))
    }
    let hash = NameHash.hash(UnsafeRawPointer(raw.start), count: raw.count, seed: seed)
    if let known = cache.name(at: raw.start, count: raw.count, hash: hash) { return (known, hash) }
    let text = try text(of: raw)
    cache.insert(text, at: raw.start, count: raw.count, hash: hash)
    return (text, hash)
  }

  /// Finds the closing quote.
  @inline(__always)
  private func scan(_ cursor: inout UnsafePointer<UInt8>) throws(ParseFailure) -> RawString {
    cursor += 1
    let first = cursor
    var nonASCII: UInt64 = 0
    var hasEscapes = false
    while true {
      while end - cursor >= 8 {
        let word = WordScan.load(cursor)
        let stops = WordScan.stringEnds(word)
        if stops != 0 {
          // Only what lies before the first stop belongs to the string.
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
    guard raw.count <= options.maximumStringBytes else { throw failure(.stringTooLong, first - 1) }
    cursor += 1
    return raw
  }

  @inline(__always)
  private static func endsRun(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20
  }

  @inline(__always)
  private func text(of raw: RawString) throws(ParseFailure) -> String {
    if raw.hasEscapes { return try unescaped(raw) }
    if raw.isASCII { return String(decoding: raw.bytes, as: UTF8.self) }
    guard let text = String(validating: raw.bytes, as: UTF8.self) else {
      throw failure(.invalidUTF8, raw.start + (UTF8Validation.firstFault(in: raw.bytes) ?? 0))
    }
    return text
  }

  @inline(never)
  private func unescaped(_ raw: RawString) throws(ParseFailure) -> String {
    if !raw.isASCII, let fault = UTF8Validation.firstFault(in: raw.bytes) {
      throw failure(.invalidUTF8, raw.start + fault)
    }
    // No escape is shorter than the bytes it stands for.
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: raw.count)
    defer { buffer.deallocate() }
    var output = EscapeReader(output: buffer, replacesLoneSurrogates: options.loneSurrogates == .replace)
    do {
      try output.read(raw.bytes)
    } catch {
      throw failure(error.kind, raw.start + error.offset)
    }
    return String(decoding: UnsafeBufferPointer(rebasing: buffer[..<output.count]), as: UTF8.self)
  }
}
