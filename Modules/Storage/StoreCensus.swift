/// The sizes of a store's entries and the order in which they were used.
struct StoreCensus {
  /// The result of a scan of the directory for one entry.
  struct Found {
    var size: Int64 = 0
    var modified: Int64 = 0
  }

  /// When this process last used each entry, as an increasing number.
  private var uses: [EntryName: UInt64] = [:]
  private var sizes: [EntryName: Int64] = [:]
  private var total: Int64 = 0
  private var last: UInt64 = 0
  /// The bytes that may be written before the directory is scanned again.
  ///
  /// A scan is necessary because other processes write too.
  private var left: Int64 = 0

  mutating func use(_ name: EntryName) {
    last += 1
    uses[name] = last
  }

  /// Records a written entry; returns true when the directory is to be scanned.
  mutating func add(_ name: EntryName, _ size: Int64, _ limits: BoundedStore.Limits) -> Bool {
    total += size - (sizes[name] ?? 0)
    sizes[name] = size
    last += 1
    uses[name] = last
    left -= size
    return left < 0 || total > limits.capacity || sizes.count > limits.entries
  }

  mutating func remove(_ name: EntryName) {
    total -= sizes.removeValue(forKey: name) ?? 0
    uses[name] = nil
  }

  /// Replaces the recorded sizes with the findings of a scan.
  ///
  /// - Returns: The entries to remove, least recently used first.
  mutating func recount(_ found: [EntryName: Found], _ limits: BoundedStore.Limits) -> [EntryName] {
    sizes = found.mapValues(\.size)
    uses = uses.filter { found[$0.key] != nil }
    total = sizes.values.reduce(0, +)
    left = limits.capacity / 16
    guard total > limits.capacity || sizes.count > limits.entries else { return [] }
    // Make room for more than the next entry, so that not every entry costs a scan.
    let goal = limits.capacity - limits.capacity / 10
    let most = limits.entries - limits.entries / 10
    let order = found.sorted { left, right in
      (uses[left.key] ?? 0, left.value.modified) < (uses[right.key] ?? 0, right.value.modified)
    }
    var gone: [EntryName] = []
    for (name, _) in order {
      guard total > goal || sizes.count > most else { break }
      gone.append(name)
      remove(name)
    }
    return gone
  }
}
