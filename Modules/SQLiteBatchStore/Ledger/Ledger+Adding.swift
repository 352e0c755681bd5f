import CurlewBatch
import CurlewCore
import CurlewRequests
import FoundationEssentials

extension Ledger {
  /// Adds all items, or none; see `BatchStore.add`.
  @discardableResult
  func add(_ items: [BatchItem]) throws -> Int {
    guard items.count <= BatchLimits.itemsPerCall else {
      throw BatchError(
        .invalidItem, "\(items.count) items were added at once; at most \(BatchLimits.itemsPerCall) are allowed.")
    }
    for item in items { try item.check() }
    return try transaction {
      let now = time.now
      var added: [AddedItem] = []
      var newest: [Int64: Int] = [:]
      var hosts: [String: Int64] = [:]
      let firstNew = try connection.integer("SELECT coalesce(max(id), 0) FROM item") + 1
      for item in items {
        let host = try row(ofHost: item.host, &hosts)
        if let id = try insert(item, host, now) {
          if !item.dependencies.isEmpty { newest[id] = added.count }
          if !item.dependencies.isEmpty || tally.summary.stoppedBy != nil { added.append(AddedItem(id, item)) }
        } else {
          try checkSame(item, firstNew)
        }
      }
      let count = try connection.integer("SELECT count(*) FROM item WHERE id >= \(firstNew)")
      for id in try order(added, newest, firstNew) { try settle(id, now) }
      return Int(count)
    }
  }

  /// Returns the row of a host, and inserts it if it is new.
  private func row(ofHost name: String?, _ known: inout [String: Int64]) throws -> Int64 {
    guard let name else { return 0 }
    if let id = known[name] { return id }
    let id =
      try statements.host.first(.text(name)) { row in row.integer(0) }
      ?? statements.insertHost.first(.text(name)) { row in row.integer(0) } ?? 0
    // Limits the memory of this cache: the items can name any number of hosts.
    if known.count >= 1_024 { known = [:] }
    known[name] = id
    return id
  }

  /// Inserts an item and returns its row; nil if its name is taken.
  ///
  /// An item without dependencies is ready at once. Others stay blocked until all items of the call are inserted.
  private func insert(_ item: BatchItem, _ host: Int64, _ now: Int64) throws -> Int64? {
    let mustWait = !item.dependencies.isEmpty || tally.summary.stoppedBy != nil
    let state = mustWait ? LedgerState.blocked : .ready
    let id = try statements.insertItem.first(
      .text(item.name), .integer(host), .integer(Int64(item.priority.rawValue)), .integer(state.rawValue),
      .integer(item.expectedBytes.map(Self.size)), .integer(now)
    ) { row in row.integer(0) }
    guard let id else { return nil }
    try statements.insertWork.run(
      .integer(id), .text(item.job.rawValue), .bytes(item.input), .text(item.storedDependencies),
      .integer(item.expectedBytes))
    if let row = try statements.rowWithID.first(.integer(id), read: LedgerRow.init) {
      tally.count(row, 1)
      if state == .ready { touch(row) }
    }
    noteChange()
    return id
  }

  /// Throws unless an item equals the stored item with the same name.
  private func checkSame(_ item: BatchItem, _ firstNew: Int64) throws {
    let row = try row(named: item.name)
    guard row.id < firstNew else {
      throw BatchError(.duplicateItem, item: item.name, "two items that are added together have this name")
    }
    let stored = try self.item(of: row).item
    guard
      (stored.job, stored.input, stored.host, stored.expectedBytes, stored.dependencies)
        == (item.job, item.input, item.host, item.expectedBytes, item.dependencies)
    else {
      throw BatchError(.conflictingItem, item: item.name, "the store has another item with this name")
    }
  }

  /// Records the dependencies of new items.
  ///
  /// - Returns: The items in an order in which each item comes after its dependencies.
  /// - Throws: `BatchError` of kind `unknownDependency` or `dependencyCycle`.
  private func order(_ added: [AddedItem], _ places: [Int64: Int], _ firstNew: Int64) throws -> [Int64] {
    var open = [Int](repeating: 0, count: added.count)
    var dependents: [[Int]] = Array(repeating: [], count: added.count)
    for (place, item) in added.enumerated() {
      for name in Set(item.dependencies) {
        guard let dependency = try statements.rowNamed.first(.text(name), read: { row in row.integer(0) }) else {
          throw BatchError(.unknownDependency, item: item.name, "it depends on \"\(name)\", which is not in the store")
        }
        try statements.insertNeed.run(.integer(dependency), .integer(item.id))
        // Only new items can form a cycle: the stored items cannot depend on them.
        if let other = places[dependency] {
          open[place] += 1
          dependents[other].append(place)
        }
      }
    }
    var order = added.indices.filter { open[$0] == 0 }
    var next = 0
    while next < order.count {
      for place in dependents[order[next]] {
        open[place] -= 1
        if open[place] == 0 { order.append(place) }
      }
      next += 1
    }
    guard order.count == added.count else {
      let name = added.indices.first { open[$0] > 0 }.map { added[$0].name }
      throw BatchError(.dependencyCycle, item: name, "it depends on itself, directly or over other items")
    }
    return order.map { added[$0].id }
  }

  /// Determines the state of a blocked item from its dependencies.
  func settle(_ id: Int64, _ now: Int64) throws {
    guard let row = try statements.rowWithID.first(.integer(id), read: LedgerRow.init), row.state == .blocked else {
      return
    }
    if let name = tally.summary.stoppedBy { return try end(row, with: .skipped(because: name)) }
    if let name = try statements.failedNeed.first(.integer(id), read: { row in row.textIfPresent(1) ?? row.text(0) }) {
      return try end(row, with: .skipped(because: name))
    }
    var settled = row
    settled.waits = try statements.unmetNeeds.first(.integer(id)) { row in row.integer(0) } ?? 0
    if settled.waits == 0 { settled.state = .ready }
    settled.since = now
    try replace(row, by: settled)
  }

  /// Returns the size of an item, limited so that the sums of all sizes stay exact.
  static func size(_ bytes: Int64) -> Int64 { min(max(0, bytes), 1 << 50) }
}

/// The parts of a new item that are needed until all items are inserted.
private struct AddedItem {
  let id: Int64
  let name: String
  let dependencies: [String]

  init(_ id: Int64, _ item: BatchItem) {
    self.id = id
    name = item.name
    dependencies = item.dependencies
  }
}

extension BatchItem {
  /// The dependencies as the file stores them; nil if the item has none.
  ///
  /// Each name ends with a NUL byte, which no name contains.
  fileprivate var storedDependencies: String? {
    dependencies.isEmpty ? nil : dependencies.map { $0 + "\0" }.joined()
  }
}
