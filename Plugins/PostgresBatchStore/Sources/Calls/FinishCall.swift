#if Postgres
import CurlewBatch
import FoundationEssentials

/// The result of an item, on its way to the store.
struct FinishCall: Sendable {
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

  /// The results that workers report at the same time.
  static func group() -> CallGroup<FinishCall, Bool> {
    CallGroup { call, others in
      !others.contains { $0.id.name == call.id.name }
        && others.reduce(call.size) { $0 + $1.size } <= mostBytes
    } _: { calls, connection throws(PostgresError) in
      try run(calls, over: connection)
    }
  }

  /// Stores results, and returns for each whether the lease was valid.
  static func run(
    _ calls: [(input: FinishCall, isRepeated: Bool)], over connection: StoreConnection
  ) throws(PostgresError) -> [Bool] {
    let inputs = calls.map(\.input)
    let rows = try connection.run(
      "SELECT answer FROM finish($1, $2, $3, $4, $5, $6, $7, $8)", .texts(inputs.map(\.id.name)),
      .integers(inputs.map(\.id.token)), .integers(inputs.map(\.state)), .integers(inputs.map(\.bytes)),
      .byteArrays(inputs.map(\.output)), .byteArrays(inputs.map(\.kind)), .byteArrays(inputs.map(\.message)),
      .integers(calls.map { $0.isRepeated ? 1 : 0 }))
    return (0..<rows.count).map { rows.boolean($0, 0) }
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
