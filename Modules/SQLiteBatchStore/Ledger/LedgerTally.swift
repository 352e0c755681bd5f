import CurlewBatch

/// The counts and sums over all items, kept in memory while one process owns the file.
struct LedgerTally {
  var summary = BatchSummary()
  /// The number of the latest lease.
  var token: Int64 = 0
  /// The position of the latest result.
  var position: Int64 = 0
  /// The running items of each host that has some: at most as many entries as there are running items.
  var runningByHost: [Int64: Int] = [:]
  /// Whether the latest lease went to an item that had waited too long.
  var wasAged = false

  /// Whether an item of a host may begin; host 0 stands for items that count against none.
  func hasPlace(on host: Int64) -> Bool {
    guard host != 0, let limit = summary.rules.perHost else { return true }
    return runningByHost[host, default: 0] < limit
  }

  /// Adds a row's contribution, or takes it away.
  ///
  /// Sums wrap around: what items say of their sizes may be any number.
  ///
  /// - Parameter sign: 1 or -1.
  mutating func count(_ row: LedgerRow, _ sign: Int) {
    count(row.state, isPaused: row.isPaused, items: sign)
    if row.state == .leased {
      let running = runningByHost[row.host, default: 0] + sign
      runningByHost[row.host] = running > 0 ? running : nil
    }
    let isOver = row.state.isOver
    summary.progress.items += sign
    if isOver { summary.progress.endedItems += sign }
    guard let size = row.size else { return }
    let signed = Int64(sign)
    summary.progress.sizedItems += sign
    summary.progress.sizedBytes &+= signed &* size
    if isOver {
      summary.progress.endedSizedItems += sign
      summary.progress.endedBytes &+= signed &* size
    } else {
      summary.progress.partialBytes &+= signed &* min(row.completed, size)
    }
  }

  /// Adds to the number of items in a state.
  mutating func count(_ state: LedgerState, isPaused: Bool, items: Int) {
    switch state {
    case .blocked where isPaused, .held: summary.paused += items
    case .blocked: summary.blocked += items
    case .ready, .waiting: summary.ready += items
    case .leased: summary.running += items
    case .succeeded: summary.succeeded += items
    case .failed: summary.failed += items
    case .cancelled: summary.cancelled += items
    case .skipped: summary.skipped += items
    }
  }
}
