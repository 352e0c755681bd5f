#if Postgres
import CurlewBatch
import FoundationEssentials

/// The heartbeat of a worker for all its leases.
struct RenewCall: StoreCall {
  static var sharesTransaction: Bool { true }
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

  func fits(_ others: [RenewCall]) -> Bool {
    let names = Set(renewals.map(\.id.name))
    return others.allSatisfy { other in
      other.duration == duration && !other.renewals.contains { names.contains($0.id.name) }
    } && others.reduce(noteBytes) { $0 + $1.noteBytes } <= Self.mostBytes
  }

  static func statement(for calls: [(call: RenewCall, isRepeated: Bool)]) -> Statement {
    let renewals = calls.flatMap(\.call.renewals)
    return Statement(
      "SELECT answer FROM renew($1, $2, $3, $4, $5, $6)", .texts(renewals.map(\.id.name)),
      .integers(renewals.map(\.id.token)), .integers(renewals.map(\.completed)), .integers(renewals.map(\.total)),
      .byteArrays(renewals.map(\.note)), .integer(calls[0].call.duration))
  }

  /// An order for each renewal of a call.
  static func answers(to calls: [RenewCall], in rows: PostgresRows) -> [[BatchOrder]] {
    var row = 0
    return calls.map { call in
      call.renewals.map { _ in
        defer { row += 1 }
        return switch rows.integer(row, 0) {
        case 0: .proceed
        case 1: .pause
        case 2: .cancel
        default: .abandon
        }
      }
    }
  }
}
#endif
