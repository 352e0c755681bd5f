/// A file's content, as programs see it and as a crash would leave it.
struct MemoryInode: Sendable {
  /// A change that may still be lost.
  private enum Change: Sendable {
    case write([UInt8], at: Int64)
    case truncate(Int64)
  }

  private static let sector = 512
  var permissions: UInt16
  /// The modification time in seconds since 1970; 0 until it is set.
  var modified: Int64 = 0
  private(set) var content = SparseBytes()
  private var durable = SparseBytes()
  private var pending: [Change] = []
  private var pendingBytes: Int64 = 0

  init(permissions: UInt16) { self.permissions = permissions }

  /// The bytes of memory that it uses, as a program sees it.
  var storedBytes: Int64 { content.storedBytes }

  mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int64, keeping limit: Int64) {
    content.write(bytes, at: offset)
    add(.write(Array(bytes), at: offset), bytes: Int64(bytes.count), limit)
  }

  mutating func truncate(to length: Int64, keeping limit: Int64) {
    content.truncate(to: length)
    add(.truncate(length), bytes: 64, limit)
  }

  mutating func synchronize() {
    durable = content
    pending = []
    pendingBytes = 0
  }

  /// Reverts to the durable content.
  mutating func loseUnsynced() {
    content = durable
    synchronize()
  }

  /// Reverts to the durable content with some later changes, whole or in part.
  ///
  /// A disk writes in its own order, sector by sector.
  mutating func tear(_ random: inout SeededRandom) {
    content = durable
    for change in pending {
      switch change {
      case .truncate(let length): if Bool.random(using: &random) { content.truncate(to: length) }
      case .write(let bytes, let offset):
        var position = 0
        while position < bytes.count {
          let toBoundary = Self.sector - Int((offset + Int64(position)) % Int64(Self.sector))
          let part = bytes[position..<min(bytes.count, position + toBoundary)]
          if Bool.random(using: &random) { content.write(part, at: offset + Int64(position)) }
          position += part.count
        }
      }
    }
    synchronize()
  }

  /// Records a change.
  ///
  /// Changes beyond the limit are written back early, as by a disk's cache.
  private mutating func add(_ change: Change, bytes: Int64, _ limit: Int64) {
    pending.append(change)
    pendingBytes += bytes
    if pendingBytes > limit { synchronize() }
  }
}
