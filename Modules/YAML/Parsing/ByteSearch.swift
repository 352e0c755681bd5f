import Glibc

extension UnsafeBufferPointer where Element == UInt8 {
  /// Returns where `byte` first occurs from `start` on; nil if it does not.
  func firstPlace(of byte: UInt8, from start: Int = 0) -> Int? {
    guard let base = baseAddress, start < count, let found = memchr(base + start, Int32(byte), count - start)
    else { return nil }
    return UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) - base
  }

  /// Returns where `word` first occurs from `start` on; nil if it does not.
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

extension UnsafeRawBufferPointer {
  /// Returns how many bytes from `start` on are known to be ASCII.
  ///
  /// It counts in steps of eight or 32; zero near the end and near other characters.
  func asciiRun(from start: Int, upTo end: Int) -> Int {
    var place = start
    while end - place >= 32 {
      let first = loadUnaligned(fromByteOffset: place, as: UInt64.self)
      let second = loadUnaligned(fromByteOffset: place + 8, as: UInt64.self)
      let third = loadUnaligned(fromByteOffset: place + 16, as: UInt64.self)
      let fourth = loadUnaligned(fromByteOffset: place + 24, as: UInt64.self)
      guard (first | second | third | fourth) & 0x8080_8080_8080_8080 == 0 else { break }
      place += 32
    }
    while end - place >= 8, loadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
      place += 8
    }
    return place - start
  }
}
