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
    // Strings that are not native are compared byte by byte.
    return (equal ?? nil) ?? utf8.elementsEqual(other.utf8)
  }

  /// Returns true when both are represented by the same bits, which is so for equal ASCII strings of up to 15 bytes.
  ///
  /// Then both have the same UTF-8 bytes; otherwise they may have, too.
  @inline(__always)
  func isSameBits(as other: String) -> Bool {
    // Safe because a string is two words of plain bits: short text itself, or a count and a reference to its bytes.
    let left = unsafeBitCast(self, to: (UInt64, UInt64).self)
    let right = unsafeBitCast(other, to: (UInt64, UInt64).self)
    return left == right
  }
}
