#if Postgres
import CurlewBatch
import CurlewCore
import CurlewRequests
import FoundationEssentials

/// A request for ready items.
///
/// If its answer is lost with the connection, the repeated call gets the items of the first one, whose rows have its `claim`.
struct LeaseCall: StoreCall {
  static var sharesTransaction: Bool { true }

  private let count: Int64
  private let duration: Int64
  private let claim: Data

  init(count: Int, duration: Duration) {
    self.count = Int64(max(1, count))
    self.duration = duration.microseconds
    claim = Data((0..<16).map { _ in UInt8.random(in: 0...255) })
  }

  func fits(_ others: [LeaseCall]) -> Bool { false }

  static func statement(for calls: [(call: LeaseCall, isRepeated: Bool)]) -> Statement {
    let (call, isRepeated) = calls[0]
    return Statement(
      """
      SELECT is_complete, revision, name, token, job, input, needs, host, priority, expected, retries, note
        FROM lease($1, $2, $3, $4)
      """, .integer(call.count), .integer(call.duration), .bytes(call.claim), .boolean(isRepeated))
  }

  /// Reads the leases: the first row has the state of the batch, and each of the others a lease.
  static func answers(to calls: [LeaseCall], in rows: PostgresRows) -> [BatchLeases] {
    let leases = (0..<rows.count).dropFirst().compactMap { row -> BatchLease? in
      guard let name = rows.text(row, 2), let token = rows.integer(row, 3), let job = rows.text(row, 4) else {
        return nil
      }
      let item = BatchItem(
        name, job: ComponentName(job), input: rows.bytes(row, 5) ?? Data(),
        dependencies: BatchItem.dependencies(stored: rows.bytes(row, 6)), host: rows.text(row, 7),
        priority: RequestPriority(rawValue: Int8(clamping: rows.integer(row, 8) ?? 0)),
        expectedBytes: rows.integer(row, 9))
      return BatchLease(
        id: BatchLease.ID(name: name, token: token), item: item, retries: Int(clamping: rows.integer(row, 10) ?? 0),
        note: rows.bytes(row, 11))
    }
    return [BatchLeases(leases: leases, isComplete: rows.boolean(0, 0), revision: rows.integer(0, 1) ?? 0)]
  }
}
#endif
