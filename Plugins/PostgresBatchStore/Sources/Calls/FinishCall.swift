#if Postgres
import CurlewBatch
import FoundationEssentials

/// The result of an item, on its way to the store.
struct FinishCall: StoreCall {
  static var sharesTransaction: Bool { true }
  /// The most bytes of the results that are stored by one statement.
  private static let mostBytes = 4 << 20

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

  private var size: Int { id.name.utf8.count + [output, kind, message].reduce(0) { $0 + ($1?.count ?? 0) } }

  func fits(_ others: [FinishCall]) -> Bool {
    !others.contains { $0.id.name == id.name } && others.reduce(size) { $0 + $1.size } <= Self.mostBytes
  }

  static func statement(for calls: [(call: FinishCall, isRepeated: Bool)]) -> Statement {
    let finishes = calls.map(\.call)
    return Statement(
      "SELECT answer FROM finish($1, $2, $3, $4, $5, $6, $7, $8)", .texts(finishes.map(\.id.name)),
      .integers(finishes.map(\.id.token)), .integers(finishes.map(\.state)), .integers(finishes.map(\.bytes)),
      .byteArrays(finishes.map(\.output)), .byteArrays(finishes.map(\.kind)), .byteArrays(finishes.map(\.message)),
      .integers(calls.map { $0.isRepeated ? 1 : 0 }))
  }

  /// Whether each lease was valid.
  static func answers(to calls: [FinishCall], in rows: PostgresRows) -> [Bool] {
    (0..<min(rows.count, calls.count)).map { rows.boolean($0, 0) }
  }
}

extension BatchOutcome {
  /// The statement that reads a page of results.
  static func statement(after position: Int64, limit: Int) -> Statement {
    Statement(
      """
      SELECT o.position, i.name, o.state, o.bytes, o.output, o.kind, o.message FROM outcome o JOIN item i ON i.id = o.item
        WHERE o.position > $1 ORDER BY o.position LIMIT $2
      """, .integer(position), .integer(Int64(max(1, limit))))
  }

  /// Reads a page of results.
  static func read(_ rows: PostgresRows) -> [BatchOutcome] {
    (0..<rows.count).map { row in
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
