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
