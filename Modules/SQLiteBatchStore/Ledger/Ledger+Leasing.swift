import CurlewBatch
import CurlewCore
import CurlewRequests
import FoundationEssentials

extension Ledger {
  /// The next ready item of one host and one priority.
  private struct Head {
    var host: Int64
    var priority: Int64
    var since: Int64
    var item: Int64

    init(_ row: borrowing SQLiteRow) {
      host = row.integer(0)
      priority = row.integer(1)
      since = row.integer(2)
      item = row.integer(3)
    }
  }

  /// Leases ready items; see `BatchStore.lease`.
  func lease(_ count: Int, for duration: Duration) throws -> BatchLeases {
    try transaction {
      var leases: [BatchLease] = []
      while leases.count < max(1, count), !tally.summary.isPaused, tally.summary.running < tally.summary.rules.limit,
        let next = try next()
      {
        guard let row = try statements.rowWithID.first(.integer(next), read: LedgerRow.init) else { break }
        tally.token += 1
        var leased = row
        leased.state = .leased
        leased.token = tally.token
        leased.moment = time.now + duration.microseconds
        try replace(row, by: leased)
        // The next iteration needs the new first item of this host and priority.
        try writeHeads()
        leases.append(try item(of: leased))
      }
      return BatchLeases(
        leases: leases, isComplete: tally.summary.isComplete, revision: tally.summary.revision)
    }
  }

  /// Returns the item that begins next; nil if no item may begin.
  private func next() throws -> Int64? {
    // Skips hosts without a free place. There are few of them, because each has running items.
    let tally = tally
    guard
      let best = try statements.heads.first(read: { row in tally.hasPlace(on: row.integer(0)) ? Head(row) : nil })
    else { return nil }
    // After a lease for an item beyond the age limit, the next one goes by priority.
    let isAgedTurn = !tally.wasAged
    self.tally.wasAged = false
    guard isAgedTurn, let limit = tally.summary.rules.ageLimit else { return best.item }
    let latest = time.now - limit.microseconds
    var aged: Head?
    var priority = best.priority
    while let lower = try statements.lowerPriority.first(.integer(priority), read: { row in row.integerIfPresent(0) }) {
      priority = lower
      let head = try statements.headsOfPriority.first(.integer(lower)) { row in
        tally.hasPlace(on: row.integer(0)) ? Head(row) : nil
      }
      guard let head, head.since <= latest else { continue }
      if let oldest = aged, (oldest.since, oldest.item) <= (head.since, head.item) { continue }
      aged = head
    }
    guard let aged else { return best.item }
    self.tally.wasAged = true
    return aged.item
  }

  /// Returns the lease of a row, with the complete item.
  func item(of row: LedgerRow) throws -> BatchLease {
    let lease = try statements.work.first(.integer(row.id), .integer(row.host)) { work in
      BatchLease(
        id: BatchLease.ID(name: row.name, token: row.token),
        item: BatchItem(
          row.name, job: ComponentName(work.text(0)), input: work.bytes(1),
          dependencies: work.text(2).split(separator: "\0").map { String($0) }, host: work.textIfPresent(5),
          priority: RequestPriority(rawValue: Int8(clamping: row.priority)), expectedBytes: work.integerIfPresent(3)),
        retries: Int(clamping: row.retries), note: work.bytesIfPresent(4))
    }
    guard let lease else {
      throw BatchError(.storeUnreadable, item: row.name, "its work is missing; the store is damaged")
    }
    return lease
  }

  /// Extends leases and returns orders; see `BatchStore.renew`.
  func renew(_ renewals: [BatchRenewal], for duration: Duration) throws -> [BatchOrder] {
    for renewal in renewals { try check(renewal.note, of: renewal.id.name) }
    return try transaction {
      try renewals.map { renewal in
        guard let row = try rowIfLeased(renewal.id) else { return .abandon }
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
