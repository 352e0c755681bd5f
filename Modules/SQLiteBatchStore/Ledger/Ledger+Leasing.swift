import CurlewBatch
import CurlewCore
import CurlewRequests
import FoundationEssentials

extension Ledger {
  /// Leases ready items; see `BatchStore.lease`.
  func lease(_ count: Int, for duration: Duration) throws -> BatchLeases {
    try transaction {
      var leases: [BatchLease] = []
      while leases.count < max(1, count), !tally.summary.isPaused, tally.summary.running < tally.summary.rules.limit,
        let next = try next()
      {
        tally.token += 1
        let (row, lease) = try rowAndLease(next, token: tally.token)
        var leased = row
        leased.state = .leased
        leased.token = tally.token
        leased.moment = time.now + duration.microseconds
        try replace(row, by: leased)
        leases.append(lease)
      }
      return BatchLeases(
        leases: leases, isComplete: tally.summary.isComplete, revision: tally.summary.revision)
    }
  }

  /// Returns the item that begins next; nil if no item may begin.
  private func next() throws -> Int64? {
    guard let best = try firstHead() else { return nil }
    // After a lease for an item beyond the age limit, the next one goes by priority.
    let isAgedTurn = !tally.wasAged
    tally.wasAged = false
    guard isAgedTurn, let limit = tally.summary.rules.ageLimit else { return best.item }
    let latest = time.now - limit.microseconds
    var aged: Head?
    var lower = try priority(below: best.group.priority)
    while let priority = lower {
      lower = try self.priority(below: priority)
      guard let head = try firstHead(of: priority), head.since <= latest else { continue }
      if let oldest = aged, (oldest.since, oldest.item) <= (head.since, head.item) { continue }
      aged = head
    }
    guard let aged else { return best.item }
    tally.wasAged = true
    return aged.item
  }

  /// Returns the row of an item, and its lease with a token and the complete item.
  func rowAndLease(_ id: Int64, token: Int64) throws -> (row: LedgerRow, lease: BatchLease) {
    let found = try statements.rowAndWork.first(.integer(id)) { columns in
      let (row, first) = (LedgerRow(columns), LedgerRow.columnCount)
      let item = BatchItem(
        row.name, job: ComponentName(columns.text(first)), input: columns.bytes(first + 1),
        dependencies: columns.text(first + 2).split(separator: "\0").map { String($0) },
        host: columns.textIfPresent(first + 5), priority: RequestPriority(rawValue: Int8(clamping: row.priority)),
        expectedBytes: columns.integerIfPresent(first + 3))
      let lease = BatchLease(
        id: BatchLease.ID(name: row.name, token: token), item: item, retries: Int(clamping: row.retries),
        note: columns.bytesIfPresent(first + 4))
      return (row: row, lease: lease)
    }
    guard let found else { throw LedgerFailure.damaged(path) }
    return found
  }

  /// Extends leases and returns orders; see `BatchStore.renew`.
  func renew(_ renewals: [BatchRenewal], for duration: Duration) throws -> [BatchOrder] {
    for renewal in renewals { try check(renewal.note, of: renewal.id.name) }
    return try transaction {
      try renewals.map { renewal in
        guard let row = rowIfLeased(renewal.id) else { return .abandon }
        var renewed = row
        renewed.moment = time.now + duration.microseconds
        renewed.completed = max(0, renewal.completed)
        if let total = renewal.total { renewed.size = Self.size(total) }
        try replace(row, by: renewed)
        if let note = renewal.note { try statements.note.run(.bytes(note), .integer(row.id)) }
        return row.isCancelling ? .cancel : row.isPaused || tally.summary.isPaused ? .pause : .proceed
      }
    }
  }

  private func check(_ note: Data?, of name: String) throws {
    guard let count = note?.count, count > BatchLimits.inputBytes else { return }
    throw BatchError(
      .invalidItem, item: name, "its note has \(count) bytes; at most \(BatchLimits.inputBytes) are allowed")
  }

  /// Gives an item back without a result; see `BatchStore.release`.
  func release(_ id: BatchLease.ID, _ reason: BatchRelease) throws {
    try transaction {
      var row = try row(of: id)
      row.losses = 0
      guard case .retry(let wait) = reason else { return try giveBack(row) }
      var waiting = row
      waiting.retries = max(0, row.retries) &+ 1
      guard try !row.isCancelling && !row.isPaused && unmetNeeds(of: row.id) == 0 else {
        try replace(row, by: waiting)
        return try giveBack(waiting)
      }
      waiting.moment = time.now + wait.microseconds
      waiting.since = waiting.moment
      waiting.state = wait.microseconds > 0 ? .waiting : .ready
      try replace(row, by: waiting)
    }
  }
}
