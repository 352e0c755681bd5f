#if Postgres
import CurlewBatch
import FoundationEssentials

/// The heartbeat of a worker for all its leases.
struct RenewCall: Sendable {
  /// The most bytes of the notes that are stored by one statement.
  private static let mostBytes = 4 << 20

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

  private var noteBytes: Int { renewals.reduce(0) { $0 + ($1.note?.count ?? 0) } }

  /// The renewals that workers ask for at the same time.
  static func group() -> CallGroup<RenewCall, [BatchOrder]> {
    CallGroup { call, others in
      let names = Set(call.renewals.map(\.id.name))
      return others.allSatisfy { other in
        other.duration == call.duration && !other.renewals.contains { names.contains($0.id.name) }
      } && others.reduce(call.noteBytes) { $0 + $1.noteBytes } <= mostBytes
    } _: { calls, connection throws(PostgresError) in
      let all = RenewCall(calls.flatMap(\.input.renewals), calls[0].input.duration)
      var orders = try all.run(over: connection)[...]
      return calls.map { call in
        defer { orders = orders.dropFirst(call.input.renewals.count) }
        return Array(orders.prefix(call.input.renewals.count))
      }
    }
  }

  private init(_ renewals: [BatchRenewal], _ duration: Int64) {
    self.renewals = renewals
    self.duration = duration
  }

  /// Extends the leases, and returns an order for each.
  private func run(over connection: StoreConnection) throws(PostgresError) -> [BatchOrder] {
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
