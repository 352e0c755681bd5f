import Glibc

/// A hash table of a large object's names, with open addressing.
struct NameIndex: Sendable {
  /// Objects with up to this many members are scanned instead.
  static let scanLimit = 64

  /// The slots: a member's index plus one, or zero for a free slot.
  ///
  /// Their number is a power of two, or zero for an object that is scanned.
  private var slots: [UInt32] = []

  /// Whether a name occurs twice, or did before members were removed.
  ///
  /// The table finds duplicates while it is filled. For a small object, which has no table, the parser sets this if it keeps
  /// duplicates.
  var hasRepeatedNames = false

  init() {}

  /// Indexes `members` if there are too many to scan.
  ///
  /// For equal names, the last one is found.
  init(_ members: [JSONObject.Member]) {
    guard members.count > Self.scanLimit else { return }
    slots = [UInt32](repeating: 0, count: Self.slotCount(for: members.count))
    for position in members.indices { insert(position, in: members) }
  }

  var isEmpty: Bool { slots.isEmpty }

  /// Adds the member just appended at `position`.
  mutating func add(_ position: Int, in members: [JSONObject.Member]) {
    if slots.isEmpty || members.count * 2 > slots.count {
      rebuild(members)
    } else {
      insert(position, in: members)
    }
  }

  /// Indexes members that have changed; `hasRepeatedNames` stays set.
  mutating func rebuild(_ members: [JSONObject.Member]) {
    let hadRepeatedNames = hasRepeatedNames
    self = NameIndex(members)
    hasRepeatedNames = hasRepeatedNames || hadRepeatedNames
  }

  func position(of name: String, hash: UInt32, in members: [JSONObject.Member]) -> Int? {
    let mask = slots.count - 1
    var slot = Int(hash) & mask
    while slots[slot] != 0 {
      let position = Int(slots[slot]) - 1
      if members[position].hash == hash, members[position].name.hasCodeUnits(of: name) { return position }
      slot = (slot + 1) & mask
    }
    return nil
  }

  private mutating func insert(_ position: Int, in members: [JSONObject.Member]) {
    let mask = slots.count - 1
    let hash = members[position].hash
    var slot = Int(hash) & mask
    while slots[slot] != 0 {
      let other = Int(slots[slot]) - 1
      if members[other].hash == hash, members[other].name.hasCodeUnits(of: members[position].name) {
        hasRepeatedNames = true
        break
      }
      slot = (slot + 1) & mask
    }
    slots[slot] = UInt32(truncatingIfNeeded: position + 1)
  }

  /// Returns the number of slots for a new table.
  ///
  /// The table is rebuilt before more than half of its slots are used. Indices fit into 32 bits: 2³² members would need 160
  /// GB.
  private static func slotCount(for count: Int) -> Int {
    var slots = 256
    while slots < count * 4 { slots *= 2 }
    return slots
  }
}

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
