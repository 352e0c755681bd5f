import Glibc

/// The mask of one frame's payload (RFC 6455 §5.3), and how far it was applied.
struct FrameMask: Sendable, Hashable {
  /// The four bytes, the first one in the lowest place.
  private var key: UInt32

  init(_ key: UInt32) { self.key = key }

  init(bytes: some Collection<UInt8>) {
    key = 0
    for byte in bytes.reversed() { key = key << 8 | UInt32(byte) }
  }

  /// Appends the four bytes in the order of the frame.
  func append(to output: inout [UInt8]) {
    withUnsafeBytes(of: key.littleEndian) { output.append(contentsOf: $0) }
  }

  /// Combines the next bytes of the payload with the mask.
  mutating func apply(to payload: UnsafeMutableRawBufferPointer) {
    let wide = UInt64(key) << 32 | UInt64(key)
    var place = 0
    while place + 8 <= payload.count {
      let word = payload.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian ^ wide
      payload.storeBytes(of: word.littleEndian, toByteOffset: place, as: UInt64.self)
      place += 8
    }
    while place < payload.count {
      payload[place] ^= UInt8(truncatingIfNeeded: key)
      key = key >> 8 | key << 24
      place += 1
    }
  }
}

/// Keys that nobody can predict (RFC 6455 §10.3), from the system's generator.
struct MaskKeys: Sendable {
  /// How many are made at once, because each time asks the kernel.
  private static let batch = 16
  /// Those that are not used yet.
  private var keys: [UInt32] = []

  /// Returns a key that was not used before.
  mutating func next() -> UInt32 {
    if let key = keys.popLast() { return key }
    keys = [UInt32](repeating: 0, count: Self.batch)
    let result = keys.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { getentropy($0, bytes.count) } ?? -1
    }
    if result != 0 {
      var generator = SystemRandomNumberGenerator()
      for place in keys.indices { keys[place] = generator.next() }
    }
    return keys.removeLast()
  }
}
