#if Postgres
import CurlewBatch
import FoundationEssentials

/// The heartbeat of a worker for all its leases.
struct RenewCall: Sendable {
  private let renewals: [BatchRenewal]
  private let duration: Int64

  /// - Throws: `BatchError` of kind `invalidItem` for a note that is too large.
  init(_ renewals: [BatchRenewal], duration: Duration) throws(BatchError) {
    for renewal in renewals {
      guard let count = renewal.note?.count, count > BatchLimits.inputBytes else { continue }
      throw BatchError(
        .invalidItem, item: renewal.id.name,
        "its note has \(count) bytes; at most \(BatchLimits.inputBytes) are allowed")
    }
    self.renewals = renewals
    self.duration = duration.microseconds
  }

  /// Extends the leases, and returns an order for each.
  func run(over connection: StoreConnection) throws(PostgresError) -> [BatchOrder] {
    let rows = try connection.run(
      "SELECT answer FROM renew($1, $2, $3, $4, $5, $6)", .texts(renewals.map(\.id.name)),
      .integers(renewals.map(\.id.token)), .integers(renewals.map(\.completed)), .integers(renewals.map(\.total)),
      .byteArrays(renewals.map(\.note)), .integer(duration))
    return renewals.indices.map { row in
      switch rows.integer(row, 0) {
      case 0: .proceed
      case 1: .pause
      case 2: .cancel
      default: .abandon
      }
    }
  }
}
#endif
