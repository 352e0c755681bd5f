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
