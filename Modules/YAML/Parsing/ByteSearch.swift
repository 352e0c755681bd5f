import Glibc

extension UnsafeBufferPointer where Element == UInt8 {
  /// The place of the first `byte` at or behind `start`, nil when there is none.
  func firstPlace(of byte: UInt8, from start: Int = 0) -> Int? {
    guard let base = baseAddress, start < count, let found = memchr(base + start, Int32(byte), count - start)
    else { return nil }
    return UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) - base
  }

  /// The place of the first `word` at or behind `start`, nil when there is none.
  func firstPlace(of word: [UInt8], from start: Int = 0) -> Int? {
    guard let base = baseAddress, let first = word.first else { return nil }
    return word.withUnsafeBufferPointer { word in
      guard let letters = word.baseAddress else { return nil }
      var place = start
      while let found = firstPlace(of: first, from: place), found + word.count <= count {
        if memcmp(base + found, letters, word.count) == 0 { return found }
        place = found + 1
      }
      return nil
    }
  }
}
