/// Strict UTF-8: no overlong forms, no surrogates, nothing beyond U+10FFFF (RFC 3629).
enum UTF8Validation {
  /// The offset of the first byte of the first ill-formed sequence, nil when all is well.
  static func firstFault(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    var offset = 0
    while offset < bytes.count {
      if bytes[offset] < 0x80 {
        offset += 1
      } else {
        let length = sequenceLength(in: bytes, at: offset)
        guard length > 0 else { return offset }
        offset += length
      }
    }
    return nil
  }

  /// The length of the well-formed sequence of two to four bytes at `offset`, or zero.
  private static func sequenceLength(in bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> Int {
    let lead = bytes[offset]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF:
      length = 3
      if lead == 0xE0 { second = 0xA0...0xBF }
      if lead == 0xED { second = 0x80...0x9F }
    case 0xF0...0xF4:
      length = 4
      if lead == 0xF0 { second = 0x90...0xBF }
      if lead == 0xF4 { second = 0x80...0x8F }
    default: return 0
    }
    guard bytes.count - offset >= length, second.contains(bytes[offset + 1]) else { return 0 }
    for place in 2..<max(length, 2) where bytes[offset + place] & 0xC0 != 0x80 { return 0 }
    return length
  }
}
