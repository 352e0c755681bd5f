/// Hashes a whole value, however deep, without recursion.
///
/// Every part counts, so that a sender cannot choose large keys that collide.
enum ValueHash {
  /// A container during the walk through a value.
  private struct Frame {
    let value: YAMLValue
    var place = 0
    var state: UInt64

    init(_ value: YAMLValue, kind: UInt64) {
      self.value = value
      state = kind
    }

    /// Returns the next value inside; nil at the end.
    func next() -> YAMLValue? {
      switch value {
      case .sequence(let elements) where place < elements.count: return elements[place]
      case .mapping(let mapping) where place < mapping.count: return mapping.members[place].value
      case .tagged(let tagged) where place == 0: return tagged.value
      default: return nil
      }
    }

    /// Adds the hash of the value that ``next()`` returned.
    mutating func take(_ hash: UInt64) {
      if case .mapping(let mapping) = value {
        // A sum does not depend on the order of entries.
        state &+= KeyHash.mix(hash ^ UInt64(mapping.members[place].hash) << 32 ^ 1)
      } else {
        state = KeyHash.mix(state ^ hash) &+ 1
      }
      place += 1
    }
  }

  static func hash(_ value: YAMLValue) -> UInt64 {
    guard var current = frame(value) else { return leaf(value) }
    var open: [Frame] = []
    while true {
      if let child = current.next() {
        if let inner = frame(child) {
          open.append(current)
          current = inner
        } else {
          current.take(leaf(child))
        }
      } else {
        let result = KeyHash.mix(current.state ^ UInt64(current.place))
        guard let outer = open.popLast() else { return result }
        current = outer
        current.take(result)
      }
    }
  }

  private static func frame(_ value: YAMLValue) -> Frame? {
    switch value {
    case .sequence: Frame(value, kind: 0x5EC0)
    case .mapping: Frame(value, kind: 0x3A90)
    case .tagged(let tagged): Frame(value, kind: UInt64(KeyHash.hash(tagged.tag)))
    default: nil
    }
  }

  private static func leaf(_ value: YAMLValue) -> UInt64 {
    switch value {
    case .bool(let value): value ? 3 : 2
    case .int(let value): KeyHash.mix(UInt64(KeyHash.hash(value.text)) ^ 0x10000_0000)
    case .float(let value): UInt64(truncatingIfNeeded: value.hashValue)
    case .string(let value): UInt64(KeyHash.hash(value))
    default: 1
    }
  }
}

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
