import CurlewBatch
import CurlewCore

extension Ledger {
  /// Returns a summary of the batch.
  func summary() throws -> BatchSummary {
    guard lock == nil else { return try transaction { tally.summary } }
    return try LedgerFailure.translating(path) {
      // One transaction gives a consistent view, although another process may change the file meanwhile.
      try connection.execute("BEGIN")
      defer { try? connection.execute("COMMIT") }
      try recount()
      return tally.summary
    }
  }

  /// Returns results in the order in which items ended.
  func outcomes(after position: Int64, limit: Int) throws -> [BatchOutcome] {
    try LedgerFailure.translating(path) {
      var outcomes: [BatchOutcome] = []
      try statements.outcomes.forEach(.integer(position), .integer(Int64(max(1, limit)))) { row in
        outcomes.append(BatchOutcome(position: row.integer(0), name: row.text(1), result: Self.result(row)))
      }
      return outcomes
    }
  }

  private static func result(_ row: borrowing SQLiteRow) -> BatchResult {
    switch LedgerState(rawValue: row.integer(2)) {
    case .succeeded: .succeeded(BatchProduct(output: row.bytes(4), bytes: row.integerIfPresent(3)))
    case .failed: .failed(BatchFailure(kind: row.text(5), message: row.text(6)))
    case .skipped: .skipped(because: row.text(6))
    default: .cancelled
    }
  }
}
