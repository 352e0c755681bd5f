#if Postgres
import CurlewBatch

extension BatchSummary {
  /// The statement that reads the state of the batch, after ending the leases that have expired.
  static let statement = Statement(
    """
    SELECT blocked, ready, running, paused, succeeded, failed, cancelled, skipped, is_paused, stopped_by, "limit", per_host,
      age_limit, stops, sized_items, least(sized_bytes, 9223372036854775807)::bigint, ended_sized_items,
      least(ended_bytes, 9223372036854775807)::bigint, least(partial_bytes, 9223372036854775807)::bigint, revision, loss_limit
      FROM overview()
    """)

  /// Reads the state of the batch.
  static func read(_ rows: PostgresRows) -> BatchSummary {
    func number(_ column: Int) -> Int { Int(clamping: rows.integer(0, column) ?? 0) }
    var summary = BatchSummary()
    summary.blocked = number(0)
    summary.ready = number(1)
    summary.running = number(2)
    summary.paused = number(3)
    summary.succeeded = number(4)
    summary.failed = number(5)
    summary.cancelled = number(6)
    summary.skipped = number(7)
    summary.isPaused = rows.boolean(0, 8)
    summary.stoppedBy = rows.text(0, 9)
    summary.rules = BatchRules(
      limit: number(10), perHost: rows.integer(0, 11).map { Int(clamping: $0) },
      ageLimit: rows.integer(0, 12).map { .microseconds($0) }, stopsOnFailure: rows.boolean(0, 13),
      lossLimit: rows.integer(0, 20).map { Int(clamping: $0) })
    summary.progress.items = summary.total
    summary.progress.endedItems = summary.ended
    summary.progress.sizedItems = number(14)
    summary.progress.sizedBytes = rows.integer(0, 15) ?? 0
    summary.progress.endedSizedItems = number(16)
    summary.progress.endedBytes = rows.integer(0, 17) ?? 0
    summary.progress.partialBytes = rows.integer(0, 18) ?? 0
    summary.revision = rows.integer(0, 19) ?? 0
    return summary
  }
}
#endif
