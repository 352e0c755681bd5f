import Glibc

/// Names seen in a document, so that a repeated one is neither copied nor checked again.
///
/// Documents repeat objects of the same shape, so the name that followed the last one the time before is tried first:
/// where it stands in the text again, it is not even scanned. The cache points into the document's bytes, which outlive
/// the parser.
struct NameCache: ~Copyable {
  struct Entry {
    var start: UnsafePointer<UInt8>?
    var count = 0
    var name = ""
    var hash: UInt32 = 0
    /// The slot of the name that came behind this one.
    var follower: UInt32 = 0
  }

  private static let slotCount: UInt32 = 256
  private static let longestName = 64
  /// A document shorter than this does not pay for the table.
  private static let leastDocument = 1024

  private let entries: UnsafeMutablePointer<Entry>?
  private var last: UInt32 = 0

  init(documentBytes: Int) {
    guard documentBytes >= Self.leastDocument else {
      entries = nil
      return
    }
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: Int(Self.slotCount))
    entries.initialize(repeating: Entry(), count: Int(Self.slotCount))
    self.entries = entries
  }

  deinit {
    entries?.deinitialize(count: Int(Self.slotCount))
    entries?.deallocate()
  }

  /// The entry of the expected name when it stands, with its closing quote, at `start`.
  @inline(__always)
  mutating func expectedName(at start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) -> UnsafePointer<Entry>? {
    guard let entries else { return nil }
    let slot = entries[Int(last)].follower
    let entry = entries + Int(slot)
    guard let known = entry.pointee.start else { return nil }
    let count = entry.pointee.count
    guard end - start > count, start[count] == UInt8(ascii: "\""), equal(known, start, count) else { return nil }
    last = slot
    return UnsafePointer(entry)
  }

  /// The name of these bytes, and the slot that it has or can have.
  @inline(__always)
  mutating func name(at start: UnsafePointer<UInt8>, count: Int, hash: UInt32) -> String? {
    guard let entries else { return nil }
    let slot = hash % Self.slotCount
    let entry = entries + Int(slot)
    guard entry.pointee.hash == hash, entry.pointee.count == count, let known = entry.pointee.start,
      equal(known, start, count)
    else { return nil }
    follow(slot)
    return entry.pointee.name
  }

  @inline(__always)
  mutating func insert(_ name: String, at start: UnsafePointer<UInt8>, count: Int, hash: UInt32) {
    guard let entries, count <= Self.longestName else { return }
    let slot = hash % Self.slotCount
    let entry = entries + Int(slot)
    entry.pointee.start = start
    entry.pointee.count = count
    entry.pointee.hash = hash
    entry.pointee.name = name
    follow(slot)
  }

  @inline(__always)
  private mutating func follow(_ slot: UInt32) {
    entries?[Int(last)].follower = slot
    last = slot
  }

  @inline(__always)
  private func equal(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    memcmp(left, right, count) == 0
  }
}
