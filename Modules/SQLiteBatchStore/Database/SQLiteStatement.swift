import CSQLite

/// A prepared statement, which can be run any number of times.
///
/// It is finalized when its last reference is released.
///
/// It must be released before its connection is closed.
final class SQLiteStatement {
  private let connection: OpaquePointer
  private let statement: OpaquePointer

  /// Compiles one statement.
  init(_ sql: String, on connection: OpaquePointer) throws(SQLiteError) {
    self.connection = connection
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw SQLiteError(code, on: connection) }
    self.statement = statement
  }

  deinit { sqlite3_finalize(statement) }

  /// Runs the statement to its end.
  ///
  /// - Returns: The number of rows that it changed; undefined for a statement that only reads.
  @discardableResult
  func run(_ values: SQLiteValue...) throws(SQLiteError) -> Int {
    try run(values)
  }

  /// Runs the statement to its end with an array of values.
  @discardableResult
  func run(_ values: [SQLiteValue]) throws(SQLiteError) -> Int {
    try bind(values)
    defer { reset() }
    while try step() {}
    return Int(sqlite3_changes64(connection))
  }

  /// Calls `body` with each row.
  func forEach(_ values: SQLiteValue..., body: (borrowing SQLiteRow) -> Void) throws(SQLiteError) {
    try bind(values)
    defer { reset() }
    while try step() { body(SQLiteRow(statement)) }
  }

  /// Returns the first result of `read` that is not nil.
  ///
  /// Later rows are not read. The result is nil if `read` returns nil for every row.
  func first<Output>(
    _ values: SQLiteValue..., read: (borrowing SQLiteRow) -> Output?
  ) throws(SQLiteError) -> Output? {
    try bind(values)
    defer { reset() }
    while try step() {
      if let output = read(SQLiteRow(statement)) { return output }
    }
    return nil
  }

  private func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
    for index in values.indices {
      let code = values[index].bind(to: statement, at: Int32(index + 1))
      guard code == SQLITE_OK else {
        let error = SQLiteError(code, on: connection)
        reset()
        throw error
      }
    }
  }

  /// Advances to the next row, and returns whether there is one.
  private func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw SQLiteError(code, on: connection)
    }
  }

  /// Ends a run: releases its lock on the file, and clears its values.
  private func reset() {
    sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
  }
}
