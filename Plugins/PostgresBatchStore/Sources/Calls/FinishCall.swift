#if Postgres
import CurlewBatch
import FoundationEssentials

/// The result of an item, on its way to the store.
struct FinishCall: Sendable {
  private let id: BatchLease.ID
  private var state: Int64
  private var bytes: Int64?
  private var output: Data?
  private var kind: Data?
  private var message: Data?

  /// - Throws: `BatchError` of kind `invalidItem` for an output that is too large.
  init(_ id: BatchLease.ID, _ result: BatchResult) throws(BatchError) {
    self.id = id
    switch result {
    case .succeeded(let product):
      guard product.output.count <= BatchLimits.outputBytes else {
        throw BatchError(
          .invalidItem, item: id.name,
          "its output has \(product.output.count) bytes; at most \(BatchLimits.outputBytes) are allowed")
      }
      state = 4
      bytes = product.bytes
      output = product.output
    case .failed(let failure):
      state = 5
      kind = Data(failure.kind.utf8)
      message = Data(failure.message.utf8)
    case .cancelled: state = 6
    case .skipped(let because):
      state = 7
      message = Data(because.utf8)
    }
  }

  /// Stores the result, and returns whether the lease was valid.
  func run(over connection: StoreConnection, isRepeated: Bool) throws(PostgresError) -> Bool {
    try connection.run(
      "SELECT finish($1, $2, $3, $4, $5, $6, $7, $8)", .text(id.name), .integer(id.token), .integer(state),
      .integer(bytes), .bytes(output), .bytes(kind), .bytes(message), .boolean(isRepeated)
    ).boolean(0, 0)
  }
}

extension BatchOutcome {
  /// Reads a page of results.
  static func read(
    after position: Int64, limit: Int, over connection: StoreConnection
  ) throws(PostgresError) -> [BatchOutcome] {
    let rows = try connection.run(
      """
      SELECT o.position, i.name, o.state, o.bytes, o.output, o.kind, o.message FROM outcome o JOIN item i ON i.id = o.item
        WHERE o.position > $1 ORDER BY o.position LIMIT $2
      """, .integer(position), .integer(Int64(max(1, limit))))
    return (0..<rows.count).map { row in
      func text(_ column: Int) -> String { String(decoding: rows.bytes(row, column) ?? Data(), as: UTF8.self) }
      let result: BatchResult =
        switch rows.integer(row, 2) {
        case 4: .succeeded(BatchProduct(output: rows.bytes(row, 4) ?? Data(), bytes: rows.integer(row, 3)))
        case 5: .failed(BatchFailure(kind: text(5), message: text(6)))
        case 7: .skipped(because: text(6))
        default: .cancelled
        }
      return BatchOutcome(position: rows.integer(row, 0) ?? 0, name: rows.text(row, 1) ?? "", result: result)
    }
  }
}
#endif
