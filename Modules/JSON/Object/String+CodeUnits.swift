import Glibc

extension String {
  /// Returns true when both have the same UTF-8 bytes.
  ///
  /// `==` also accepts canonically equivalent strings.
  @inline(__always)
  func hasCodeUnits(of other: String) -> Bool {
    let count = utf8.count
    guard count == other.utf8.count else { return false }
    let equal = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return count == 0 }
        return memcmp(left, right, count) == 0
      }
    }
    // Strings without contiguous UTF-8 are compared byte by byte.
    return (equal ?? nil) ?? utf8.elementsEqual(other.utf8)
  }

  /// Returns true when both strings have the same bits in memory.
  ///
  /// Such strings have the same UTF-8 bytes. Equal ASCII strings of up to 15 bytes always have the same bits; other equal
  /// strings may not.
  @inline(__always)
  func isSameBits(as other: String) -> Bool {
    // Safe because a string is two words of plain bits: short text itself, or a count and a reference to its bytes.
    let left = unsafeBitCast(self, to: (UInt64, UInt64).self)
    let right = unsafeBitCast(other, to: (UInt64, UInt64).self)
    return left == right
  }
}
