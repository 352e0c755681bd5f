/// A hash table of a large mapping's keys, with open addressing.
struct KeyIndex: Sendable {
  /// Mappings with up to this many entries are scanned instead.
  static let scanLimit = 32

  /// The slots: an entry's index plus one, or zero for a free slot.
  ///
  /// Their number is a power of two, or zero for a mapping that is scanned.
  private var slots: [UInt32] = []

  init() {}

  /// Indexes `members`, whose keys differ, if there are too many to scan.
  init(_ members: [YAMLMapping.Member]) {
    guard members.count > Self.scanLimit else { return }
    var count = 128
    while count < members.count * 4 { count *= 2 }
    slots = [UInt32](repeating: 0, count: count)
    for place in members.indices { insert(place, hash: members[place].hash) }
  }

  var isEmpty: Bool { slots.isEmpty }

  /// Adds the member just appended.
  mutating func add(_ members: [YAMLMapping.Member]) {
    if slots.isEmpty || members.count * 2 > slots.count {
      self = KeyIndex(members)
    } else if let last = members.last {
      insert(members.count - 1, hash: last.hash)
    }
  }

  func position(of key: YAMLValue, hash: UInt32, in members: [YAMLMapping.Member]) -> Int? {
    let mask = slots.count - 1
    var slot = Int(hash) & mask
    while slots[slot] != 0 {
      let place = Int(slots[slot]) - 1
      if members[place].hash == hash, members[place].key == key { return place }
      slot = (slot + 1) & mask
    }
    return nil
  }

  private mutating func insert(_ place: Int, hash: UInt32) {
    let mask = slots.count - 1
    var slot = Int(hash) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = UInt32(truncatingIfNeeded: place + 1)
  }
}
