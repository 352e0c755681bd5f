import CurlewBatch
import FoundationEssentials

extension Ledger {
  /// Stores the result of an item; see `BatchStore.finish`.
  func finish(_ id: BatchLease.ID, with result: BatchResult) throws {
    if case .succeeded(let product) = result, product.output.count > BatchLimits.outputBytes {
      throw BatchError(
        .invalidItem, item: id.name,
        "its output has \(product.output.count) bytes; at most \(BatchLimits.outputBytes) are allowed")
    }
    try transaction {
      try conclude(try row(of: id), with: result)
    }
  }

  /// Stores the result of an item, and stops the batch if the item has failed and the rules say so.
  func conclude(_ row: LedgerRow, with result: BatchResult) throws {
    try end(row, with: result)
    guard case .failed = result, tally.summary.rules.stopsOnFailure, tally.summary.stoppedBy == nil else { return }
    tally.summary.stoppedBy = row.name
    try writeBatch()
    try endAll(as: .skipped, because: row.name)
    try cancelRunning()
  }

  /// Stores the result of an item, and skips or unblocks its dependents.
  ///
  /// A dependent that is running, because the item was reopened meanwhile, keeps its lease.
  func end(_ row: LedgerRow, with result: BatchResult) throws {
    var ending: [(row: LedgerRow, result: BatchResult)] = [(row, result)]
    var next = 0
    while next < ending.count {
      let (row, result) = ending[next]
      next += 1
      // An item that depends on the failed one in several ways is reached several times, and is skipped the first time.
      guard try next == 1 || statements.rowWithID.first(.integer(row.id), read: LedgerRow.init)?.state == .blocked
      else { continue }
      try record(row, result)
      var dependents: [Int64] = []
      try statements.dependents.forEach(.integer(row.id)) { dependents.append($0.integer(0)) }
      for id in dependents {
        guard let dependent = try statements.rowWithID.first(.integer(id), read: LedgerRow.init),
          dependent.state == .blocked
        else { continue }
        if result.isSuccess {
          try meetOneNeed(of: dependent)
        } else {
          ending.append((dependent, .skipped(because: result.cause ?? row.name)))
        }
      }
    }
  }

  private func meetOneNeed(of row: LedgerRow) throws {
    var unblocked = row
    unblocked.waits = max(0, row.waits &- 1)
    if unblocked.waits == 0 {
      unblocked.state = row.isPaused ? .held : .ready
      unblocked.since = time.now
    }
    try replace(row, by: unblocked)
  }

  private func record(_ row: LedgerRow, _ result: BatchResult) throws {
    tally.position += 1
    var ended = row
    ended.isPaused = false
    ended.isCancelling = false
    ended.position = tally.position
    var values: (bytes: Int64?, output: Data?, kind: String?, message: String?) = (nil, nil, nil, nil)
    switch result {
    case .succeeded(let product):
      ended.state = .succeeded
      if let bytes = product.bytes { ended.size = Self.size(bytes) }
      values.bytes = product.bytes
      values.output = product.output
    case .failed(let failure):
      ended.state = .failed
      values.kind = failure.kind
      values.message = failure.message
    case .cancelled: ended.state = .cancelled
    case .skipped(let because):
      ended.state = .skipped
      values.message = because
    }
    try replace(row, by: ended)
    try statements.insertOutcome.run(
      .integer(tally.position), .integer(row.id), .integer(ended.state.rawValue), .integer(values.bytes),
      .bytes(values.output), .text(values.kind), .text(values.message))
  }

  /// Ends every item that has no result and is not running.
  ///
  /// - Returns: Whether any item ended.
  @discardableResult
  func endAll(as state: LedgerState, because name: String?) throws -> Bool {
    let position = tally.position
    let count = try connection.prepare(
      """
      UPDATE item SET state = ?1, position = new.position, is_paused = 0, is_cancelling = 0 FROM (
        SELECT id AS new_id, ?2 + row_number() OVER (ORDER BY id) AS position FROM item WHERE state IN (0, 1, 2, 8)) AS new
        WHERE item.id = new.new_id
      """
    ).run(.integer(state.rawValue), .integer(position))
    guard count > 0 else { return false }
    try connection.prepare(
      """
      INSERT INTO outcome SELECT position, id, state, NULL, NULL, NULL, ?2 FROM item WHERE state = ?1 AND position > ?3
      """
    ).run(.integer(state.rawValue), .text(name), .integer(position))
    try rebuildHeads()
    try recount()
    noteChange()
    return true
  }

  /// Orders every worker to cancel its running items.
  ///
  /// - Returns: Whether any item had not received the order before.
  @discardableResult
  func cancelRunning() throws -> Bool {
    let count = try connection.prepare("UPDATE item SET is_cancelling = 1 WHERE state = 3 AND is_cancelling = 0").run()
    guard count > 0 else { return false }
    noteCancelling()
    return true
  }
}

extension BatchResult {
  /// The name of the item that caused a skip; nil for other results.
  fileprivate var cause: String? {
    if case .skipped(let cause) = self { cause } else { nil }
  }
}
