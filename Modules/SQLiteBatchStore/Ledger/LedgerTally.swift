import CurlewBatch

/// The counts and sums over all items, kept in memory while one process owns the file.
struct LedgerTally {
  var summary = BatchSummary()
  /// The number of the latest lease.
  var token: Int64 = 0
  /// The position of the latest result.
  var position: Int64 = 0
  /// The number of running items of each host that has any.
  var runningByHost: [Int64: Int] = [:]
  /// A time before which no lease and no wait ends, in microseconds since 1970; the file is asked again then.
  var due = Int64.min
  /// Whether the latest lease went to an item beyond the age limit.
  var wasAged = false

  /// Whether a host has a free place; host 0 stands for no host and always has one.
  func hasPlace(on host: Int64) -> Bool {
    guard host != 0, let limit = summary.rules.perHost else { return true }
    return runningByHost[host, default: 0] < limit
  }

  /// Adds a row to the counts, or subtracts it.
  ///
  /// Sums wrap around instead of overflowing, because the reported sizes are arbitrary.
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
