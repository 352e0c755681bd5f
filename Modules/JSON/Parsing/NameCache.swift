import Glibc

/// Names seen in a document, so that a repeated one is neither copied nor checked again.
///
/// It points into the document's bytes, which outlive the parser.
struct NameCache: ~Copyable {
  private struct Entry {
    var start: UnsafePointer<UInt8>?
    var count: Int
    var hash: UInt32
    var name: String
  }

  private static let slotCount = 256
  private static let longestName = 64
  /// A document shorter than this does not pay for the table.
  private static let leastDocument = 1024

  private let entries: UnsafeMutablePointer<Entry>?

  init(documentBytes: Int) {
    guard documentBytes >= Self.leastDocument else {
      entries = nil
      return
    }
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: Self.slotCount)
    entries.initialize(repeating: Entry(start: nil, count: 0, hash: 0, name: ""), count: Self.slotCount)
    self.entries = entries
  }

  deinit {
    entries?.deinitialize(count: Self.slotCount)
    entries?.deallocate()
  }

  @inline(__always)
  func name(at start: UnsafePointer<UInt8>, count: Int, hash: UInt32) -> String? {
    guard let entries else { return nil }
    let entry = entries + Int(hash) % Self.slotCount
    guard entry.pointee.hash == hash, entry.pointee.count == count, let known = entry.pointee.start,
      memcmp(known, start, count) == 0
    else { return nil }
    return entry.pointee.name
  }

  @inline(__always)
  func insert(_ name: String, at start: UnsafePointer<UInt8>, count: Int, hash: UInt32) {
    guard let entries, count <= Self.longestName else { return }
    entries[Int(hash) % Self.slotCount] = Entry(start: start, count: count, hash: hash, name: name)
  }
}
