/// Hashes a member name by its code units, fast and differently in each process.
///
/// A random seed keeps the sender of a document from choosing names that collide.
enum NameHash {
  /// Constant for the life of the process, because objects store hashes.
  static let seed = UInt64.random(in: .min ... .max)

  private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

  static func hash(_ name: String) -> UInt32 {
    var name = name
    return name.withUTF8 { bytes in
      hash(bytes.baseAddress.map(UnsafeRawPointer.init), count: bytes.count, seed: seed)
    }
  }

  /// Hashes `count` bytes from `start`, which is not read when `count` is zero.
  static func hash(_ start: UnsafeRawPointer?, count: Int, seed: UInt64) -> UInt32 {
    var state = seed ^ UInt64(truncatingIfNeeded: count) &* step
    guard let start, count > 0 else { return finish(state) }
    var offset = 0
    while count - offset > 8 {
      state = mix(state ^ start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    if count >= 8 {
      // The last eight bytes; some of them are hashed a second time.
      state = mix(state ^ start.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
    } else if count >= 4 {
      let low = UInt64(start.loadUnaligned(as: UInt32.self))
      let high = UInt64(start.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
      state = mix(state ^ (high << 32 | low))
    } else {
      let first = UInt64(start.load(as: UInt8.self))
      let middle = UInt64(start.load(fromByteOffset: count >> 1, as: UInt8.self))
      let last = UInt64(start.load(fromByteOffset: count - 1, as: UInt8.self))
      state = mix(state ^ (first << 16 | middle << 8 | last))
    }
    return finish(state)
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: step)
    return product.high ^ product.low
  }

  private static func finish(_ state: UInt64) -> UInt32 {
    let mixed = mix(state)
    return UInt32(truncatingIfNeeded: mixed ^ mixed >> 32)
  }
}
