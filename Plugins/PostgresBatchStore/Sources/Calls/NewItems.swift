#if Postgres
import CurlewBatch
import CurlewCore
import CurlewRequests
import FoundationEssentials

/// Items that are added together, in the form in which the server takes them.
struct NewItems: Sendable {
  /// What came of an attempt to add them.
  enum Answer: Sendable {
    case added(Int)
    /// The store has another item with this name.
    case conflict(String)
    /// The store has no item with this name, which is a dependency.
    case missing(String)
  }

  /// The most bytes of all inputs together. A parameter of a statement has at most a gigabyte.
  private static let mostBytes = 256 << 20

  private let items: [BatchItem]
  private let outside: [BatchGraph.Outside]

  /// Checks the items and their dependencies among each other.
  ///
  /// - Throws: `BatchError` of kind `invalidItem`, `duplicateItem` or `dependencyCycle`.
  init(_ items: [BatchItem]) throws(BatchError) {
    let graph = try BatchGraph(items)
    let bytes = items.reduce(0) { $0 + $1.input.count }
    guard bytes <= Self.mostBytes else {
      throw BatchError(
        .invalidItem,
        "the inputs of the items have \(bytes) bytes together; add at most \(Self.mostBytes) bytes in one call")
    }
    self.items = items
    outside = graph.outside
  }

  /// The statement that adds the items.
  var statement: Statement {
    let edges = items.flatMap { item in item.dependencies.map { (item.name, $0) } }
    return Statement(
      "SELECT added, conflict, missing FROM add($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
      .texts(items.map(\.name)), .texts(items.map(\.job.rawValue)), .byteArrays(items.map(\.input)),
      .texts(items.map(\.host)), .integers(items.map { Int64($0.priority.rawValue) }),
      .integers(items.map(\.expectedBytes)), .byteArrays(items.map(\.storedDependencies)), .texts(edges.map(\.0)),
      .texts(edges.map(\.1)), .texts(outside.map(\.name)))
  }

  /// Reads what came of the statement.
  static func read(_ rows: PostgresRows) -> Answer {
    if let name = rows.text(0, 2) { return .missing(name) }
    if let name = rows.text(0, 1) { return .conflict(name) }
    return .added(Int(clamping: rows.integer(0, 0) ?? 0))
  }

  /// Returns the number of new items.
  ///
  /// - Throws: `BatchError` of kind `conflictingItem` or `unknownDependency`.
  func count(of answer: Answer) throws(BatchError) -> Int {
    switch answer {
    case .added(let count): return count
    case .conflict(let name): throw StoreError.conflict(name)
    case .missing(let name):
      throw outside.first { $0.name == name }?.unknown
        ?? BatchError(.unknownDependency, "an item depends on \"\(name)\", which is not in the store")
    }
  }
}

extension BatchItem {
  /// The names of the dependencies as the store keeps them: each ends with a NUL byte, which no name contains.
  fileprivate var storedDependencies: Data { Data(dependencies.flatMap { Array($0.utf8) + [0] }) }

  /// Reads the names of dependencies.
  static func dependencies(stored: Data?) -> [String] {
    (stored ?? Data()).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}
#endif
