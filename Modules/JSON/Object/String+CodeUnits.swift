import Glibc

extension String {
  /// Returns true when both have the same UTF-8 bytes.
  ///
  /// `==` also accepts canonically equivalent strings.
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
}
