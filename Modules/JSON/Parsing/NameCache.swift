import Glibc

/// The names seen in a document, so that repeated ones are not copied again.
///
/// Documents repeat objects of the same shape. So after each name the parser first expects the name that followed it last time
/// at the same depth; if the text contains that name, it is compared instead of scanned and hashed. The cache points into the
/// document's bytes, which outlive the parser.
struct NameCache: ~Copyable {
  struct Entry {
    var start: UnsafePointer<UInt8>?
    var count = 0
    var name = ""
    var hash: UInt32 = 0
    /// The slot of the name that followed last time.
    ///
    /// It belongs to the name and depth that `place` maps to this entry, not to this entry's own name.
    var follower: UInt32 = 0
  }

  private static let mostSlots: UInt32 = 1024
  private static let longestName = 64
  /// The shortest document for which the table pays off.
  private static let leastDocument = 256

  private let entries: UnsafeMutablePointer<Entry>?
  /// The number of slots, a power of two.
  ///
  /// More slots mean fewer collisions, but cost more to set up.
  private let slotCount: UInt32
  /// The slot of the last name in the innermost open object.
  var last: UInt32 = 0

  init(documentBytes: Int) {
    guard documentBytes >= Self.leastDocument else {
      entries = nil
      slotCount = 0
      return
    }
    var slotCount: UInt32 = documentBytes < 2048 ? 16 : 64
    while slotCount < Self.mostSlots, documentBytes > 64 * Int(slotCount) { slotCount *= 2 }
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: Int(slotCount))
    entries.initialize(repeating: Entry(), count: Int(slotCount))
    self.entries = entries
    self.slotCount = slotCount
  }

  deinit {
    entries?.deinitialize(count: Int(slotCount))
    entries?.deallocate()
  }

  /// Returns the expected name's entry, if it and a closing quote are at `start`.
  mutating func expectedName(
    at start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, depth: Int
  ) -> UnsafePointer<Entry>? {
    guard let entries else { return nil }
    let slot = entries[place(depth)].follower
    let entry = entries + Int(slot)
    guard let known = entry.pointee.start else { return nil }
    let count = entry.pointee.count
    guard end - start > count, start[count] == UInt8(ascii: "\""), equal(known, start, count) else { return nil }
    last = slot
    return UnsafePointer(entry)
  }

  /// Returns the cached name with these bytes; nil if the cache does not have it.
  mutating func name(at start: UnsafePointer<UInt8>, count: Int, hash: UInt32, depth: Int) -> String? {
    guard let entries else { return nil }
    let slot = hash & (slotCount &- 1)
    let entry = entries + Int(slot)
    guard entry.pointee.hash == hash, entry.pointee.count == count, let known = entry.pointee.start,
      equal(known, start, count)
    else { return nil }
    follow(slot, depth: depth)
    return entry.pointee.name
  }

  mutating func insert(_ name: String, at start: UnsafePointer<UInt8>, count: Int, hash: UInt32, depth: Int) {
    guard let entries, count <= Self.longestName else { return }
    let slot = hash & (slotCount &- 1)
    let entry = entries + Int(slot)
    entry.pointee.start = start
    entry.pointee.count = count
    entry.pointee.hash = hash
    entry.pointee.name = name
    follow(slot, depth: depth)
  }

  /// Records that the name of `slot` followed the last one.
  private mutating func follow(_ slot: UInt32, depth: Int) {
    entries?[place(depth)].follower = slot
    last = slot
  }

  /// Returns the index of the entry that stores the last name's follower at a depth.
  private func place(_ depth: Int) -> Int {
    Int((last &+ UInt32(truncatingIfNeeded: depth) &* 37) & (slotCount &- 1))
  }

  private func equal(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    memcmp(left, right, count) == 0
  }
}
