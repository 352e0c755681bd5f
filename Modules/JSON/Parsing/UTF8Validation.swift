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
