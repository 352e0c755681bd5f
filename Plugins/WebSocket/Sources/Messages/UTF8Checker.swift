/// Checks UTF-8 (RFC 3629) as it arrives: a wrong byte is noticed at once, wherever the pieces are cut.
struct UTF8Checker: Sendable, Hashable {
  /// The continuation bytes that the current character still needs.
  private var missing = 0
  /// The range of the next continuation byte; it excludes surrogates, overlong forms and what is above U+10FFFF.
  private var low: UInt8 = 0x80
  private var high: UInt8 = 0xBF

  /// Whether no character is incomplete.
  var isComplete: Bool { missing == 0 }

  /// Returns whether the bytes continue a valid text.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var place = 0
    while place < bytes.count {
      if missing == 0 {
        // Most texts are ASCII: eight bytes at once.
        while place + 8 <= bytes.count,
          bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
          place += 8
        }
        guard place < bytes.count else { return true }
      }
      guard take(bytes[place]) else { return false }
      place += 1
    }
    return true
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard missing == 0 else {
      guard byte >= low, byte <= high else { return false }
      missing -= 1
      (low, high) = (0x80, 0xBF)
      return true
    }
    switch byte {
    case 0x00...0x7F: return true
    case 0xC2...0xDF: expect(1)
    case 0xE0: expect(2, from: 0xA0)
    case 0xED: expect(2, to: 0x9F)
    case 0xE1...0xEF: expect(2)
    case 0xF0: expect(3, from: 0x90)
    case 0xF4: expect(3, to: 0x8F)
    case 0xF1...0xF3: expect(3)
    default: return false
    }
    return true
  }

  private mutating func expect(_ count: Int, from least: UInt8 = 0x80, to most: UInt8 = 0xBF) {
    missing = count
    low = least
    high = most
  }
}
