/// Hashes a key, fast for strings and differently in each process.
///
/// Strings are hashed by code units. A random seed keeps the sender of a document from choosing keys that collide.
enum KeyHash {
  /// Constant for the life of the process, because mappings store hashes.
  private static let seed = UInt64.random(in: .min ... .max)
  private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

  static func hash(_ key: YAMLValue) -> UInt32 {
    if case .string(let text) = key { return hash(text) }
    let hash = ValueHash.hash(key)
    return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
  }

  static func hash(_ text: String) -> UInt32 {
    var text = text
    return text.withUTF8 { bytes in hash(bytes) }
  }

  static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
    var state = seed ^ UInt64(truncatingIfNeeded: bytes.count) &* step
    let raw = UnsafeRawBufferPointer(bytes)
    var offset = 0
    while offset + 8 <= raw.count {
      state = mix(state ^ raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    // The last bytes, fewer than eight, are combined one by one.
    var rest: UInt64 = 0
    while offset < raw.count {
      rest = rest << 8 | UInt64(raw[offset])
      offset += 1
    }
    state = mix(mix(state ^ rest) ^ seed)
    return UInt32(truncatingIfNeeded: state ^ state >> 32)
  }

  static func mix(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: step)
    return product.high ^ product.low
  }
}
