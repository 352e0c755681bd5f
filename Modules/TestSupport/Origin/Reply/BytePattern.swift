import Glibc

/// Bytes of any length made on the spot: gigabytes cost no memory, and any part can be had on its own.
public struct BytePattern: Sendable, Hashable {
  private enum Kind: Hashable {
    case same(UInt8)
    case seeded(UInt64)
  }
  private let kind: Kind

  /// Returns the same byte everywhere.
  public static func repeating(_ byte: UInt8) -> BytePattern { BytePattern(kind: .same(byte)) }

  /// Bytes that look random, are the same for the same seed, and differ at each offset for 4 GiB.
  public static func seeded(_ seed: UInt64) -> BytePattern { BytePattern(kind: .seeded(seed)) }

  /// Returns the bytes from `offset` on.
  ///
  /// - Parameters:
  ///   - offset: Where to begin; negative counts as 0.
  ///   - count: How many; negative counts as 0.
  public func bytes(from offset: Int64 = 0, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, initialized in
      // Safe because `fill` writes each byte of the buffer.
      fill(UnsafeMutableRawBufferPointer(buffer), from: offset)
      initialized = max(0, count)
    }
  }

  func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: Int64) {
    guard let base = buffer.baseAddress, !buffer.isEmpty else { return }
    switch kind {
    case .same(let byte): memset(base, Int32(byte), buffer.count)
    case .seeded(let seed): SeededTable.fill(buffer, from: offset, seed: seed)
    }
  }
}

/// A fixed table of random words that blocks of a pattern are cut out of, each at a place that seed and index choose.
///
/// Copying out of a table is as fast as memory, in debug builds too, where a generator per byte would set the pace.
private enum SeededTable {
  static let block = 65_536
  // Twice a block, so that a block can be cut out at any of its offsets.
  static let words: [UInt64] = (0..<UInt64(2 * block / 8)).map(mix)

  /// SplitMix64's output function (Steele, Lea and Flood, 2014).
  static func mix(_ number: UInt64) -> UInt64 {
    var word = (number &+ 1) &* 0x9e37_79b9_7f4a_7c15
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }

  static func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: Int64, seed: UInt64) {
    let choice = mix(seed)
    // An odd step visits each of the 65,536 places once before the first comes again.
    let step = (choice >> 16) | 1
    words.withUnsafeBytes { table in
      var done = 0
      while done < buffer.count {
        let position = UInt64(max(0, offset)) &+ UInt64(done)
        let inside = Int(position % UInt64(block))
        let place = Int(((position / UInt64(block)) &* step &+ choice) % UInt64(block))
        let length = min(buffer.count - done, block - inside)
        let source = UnsafeRawBufferPointer(rebasing: table[place + inside..<place + inside + length])
        UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + length]).copyMemory(from: source)
        done += length
      }
    }
  }
}
