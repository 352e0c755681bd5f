import CurlewBatch
import CurlewCore

extension Ledger {
  /// Applies a command; see `BatchStore.apply`.
  @discardableResult
  func apply(_ command: BatchCommand) throws -> Bool {
    try transaction {
      switch command {
      case .pause: try setPaused(true)
      case .resume: try setPaused(false)
      case .cancel: try cancelAll()
      case .pauseItem(let name): try setPaused(true, try row(named: name))
      case .resumeItem(let name): try setPaused(false, try row(named: name))
      case .cancelItem(let name): try cancel(try row(named: name))
      case .prioritize(let name, let priority): try prioritize(try row(named: name), priority)
      case .setRules(let rules): try setRules(rules)
      case .reopen: try reopen()
      case .reopenItem(let name): try reopen(try row(named: name))
      }
    }
  }

  private func setPaused(_ isPaused: Bool) throws -> Bool {
    guard tally.summary.isPaused != isPaused else { return false }
    tally.summary.isPaused = isPaused
    try writeBatch()
    return true
  }

  private func setRules(_ rules: BatchRules) throws -> Bool {
    guard tally.summary.rules != rules else { return false }
    tally.summary.rules = rules
    try writeBatch()
    return true
  }

  private func cancelAll() throws -> Bool {
    let hasCancelled = try endAll(as: .cancelled, because: nil)
    return try cancelRunning() || hasCancelled
  }

  private func setPaused(_ isPaused: Bool, _ row: LedgerRow) throws -> Bool {
    guard !row.state.isOver, row.isPaused != isPaused else { return false }
    var changed = row
    changed.isPaused = isPaused
    switch row.state {
    case .ready, .waiting: changed.state = .held
    case .held:
      changed.state = .ready
      changed.since = time.now
    default: break
    }
    try replace(row, by: changed)
    return true
  }

  private func cancel(_ row: LedgerRow) throws -> Bool {
    guard !row.state.isOver, !row.isCancelling else { return false }
    guard row.state == .leased else {
      try end(row, with: .cancelled)
      return true
    }
    var cancelling = row
    cancelling.isCancelling = true
    try replace(row, by: cancelling)
    return true
  }

  private func prioritize(_ row: LedgerRow, _ priority: RequestPriority) throws -> Bool {
    let value = Int64(priority.rawValue)
    guard !row.state.isOver, row.priority != value else { return false }
    var changed = row
    changed.priority = value
    try replace(row, by: changed)
    return true
  }

  /// Reopens every item that ended without success; see `BatchCommand.reopen`.
  private func reopen() throws -> Bool {
    guard tally.summary.failed + tally.summary.cancelled + tally.summary.skipped > 0 || tally.summary.stoppedBy != nil
    else { return false }
    tally.summary.stoppedBy = nil
    // Saves the latest position first: positions must keep growing after the results with the largest ones are removed.
    try writeBatch()
    try connection.execute(
      """
      DELETE FROM outcome WHERE state IN (5, 6, 7);
      UPDATE item SET position = NULL, retries = 0, losses = 0, completed = 0, state = 0
        WHERE state IN (5, 6, 7);
      UPDATE item SET waits = (SELECT count(*) FROM need JOIN item d ON d.id = need.dependency
        WHERE need.item = item.id AND d.state <> 4) WHERE state = 0;
      UPDATE item SET state = CASE is_paused WHEN 0 THEN 1 ELSE 8 END, since = \(time.now) WHERE state = 0 AND waits = 0;
      """)
    try rebuildHeads()
    try recount()
    noteChange()
    return true
  }

  /// Reopens one item that has ended; see `BatchCommand.reopenItem`.
  private func reopen(_ row: LedgerRow) throws -> Bool {
    guard row.state.isOver, let position = row.position else { return false }
    // Saves the latest position first: positions must keep growing after the latest result is removed.
    try writeBatch()
    try statements.removeOutcome.run(.integer(position))
    var reopened = row
    reopened.position = nil
    reopened.state = .blocked
    reopened.retries = 0
    reopened.losses = 0
    reopened.completed = 0
    try replace(row, by: reopened)
    // The dependents come first, so that they are skipped with the item if it cannot run.
    if row.state == .succeeded { try blockDependents(of: row.id) }
    try settle(row.id, time.now)
    return true
  }

  /// Lets the dependents of a reopened item wait for it again, unless they are running or have a result.
  private func blockDependents(of id: Int64) throws {
    var dependents: [Int64] = []
    try statements.dependents.forEach(.integer(id)) { dependents.append($0.integer(0)) }
    for id in dependents {
      guard let dependent = try statements.rowWithID.first(.integer(id), read: LedgerRow.init),
        !dependent.state.isOver, dependent.state != .leased
      else { continue }
      var blocked = dependent
      blocked.waits &+= 1
      blocked.state = .blocked
      try replace(dependent, by: blocked)
    }
  }
}
