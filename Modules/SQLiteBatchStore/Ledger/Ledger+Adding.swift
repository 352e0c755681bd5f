import CurlewBatch
import CurlewCore
import CurlewRequests
import FoundationEssentials

extension Ledger {
  /// Adds all items, or none; see `BatchStore.add`.
  @discardableResult
  func add(_ items: [BatchItem]) throws -> Int {
    let graph = try BatchGraph(items)
    return try transaction {
      for outside in graph.outside where try id(of: outside.name) == nil { throw outside.unknown }
      let now = time.now
      let firstNew = try connection.integer("SELECT coalesce(max(id), 0) FROM item") + 1
      var hosts: [String: Int64] = [:]
      var waiting: [(id: Int64, item: BatchItem)] = []
      for item in items {
        let host = try row(ofHost: item.host, &hosts)
        guard let id = try insert(item, host, now) else {
          try checkSame(item)
          continue
        }
        if mustWait(item) { waiting.append((id, item)) }
      }
      for (id, item) in waiting {
        for name in Set(item.dependencies) {
          // The graph has found every name, among the items or in the store.
          guard let dependency = try self.id(of: name) else { continue }
          try statements.insertNeed.run(.integer(dependency), .integer(id))
        }
      }
      for (id, _) in waiting { try settle(id, now) }
      return Int(try connection.integer("SELECT count(*) FROM item WHERE id >= \(firstNew)"))
    }
  }

  private func id(of name: String) throws -> Int64? {
    try statements.rowNamed.first(.text(name)) { row in row.integer(0) }
  }

  /// Whether a new item is not ready at once.
  private func mustWait(_ item: BatchItem) -> Bool { !item.dependencies.isEmpty || tally.summary.stoppedBy != nil }

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
    let state = mustWait(item) ? LedgerState.blocked : .ready
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
  private func checkSame(_ item: BatchItem) throws {
    let stored = try rowAndLease(row(named: item.name).id, token: 0).lease.item
    guard
      (stored.job, stored.input, stored.host, stored.expectedBytes, stored.dependencies)
        == (item.job, item.input, item.host, item.expectedBytes, item.dependencies)
    else {
      throw BatchError(.conflictingItem, item: item.name, "the store has another item with this name")
    }
  }

  /// Determines the state of a blocked item from its dependencies.
  func settle(_ id: Int64, _ now: Int64) throws {
    guard let row = try statements.rowWithID.first(.integer(id), read: LedgerRow.init), row.state == .blocked else {
      return
    }
    if let name = tally.summary.stoppedBy { return try end(row, with: .skipped(because: name)) }
    if let name = try failedNeed(of: id) { return try end(row, with: .skipped(because: name)) }
    var settled = row
    settled.waits = try unmetNeeds(of: id)
    if settled.waits == 0 { settled.state = .ready }
    settled.since = now
    try replace(row, by: settled)
  }

  /// Returns the size of an item, limited so that the sums of all sizes stay exact.
  static func size(_ bytes: Int64) -> Int64 { min(max(0, bytes), 1 << 50) }
}

extension BatchItem {
  /// The dependencies as the file stores them; nil if the item has none.
  ///
  /// Each name ends with a NUL byte, which no name contains.
  fileprivate var storedDependencies: String? {
    dependencies.isEmpty ? nil : dependencies.map { $0 + "\0" }.joined()
  }
}
