import CSQLite
import FoundationEssentials

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

/// A value for a parameter of a statement.
enum SQLiteValue {
  case integer(Int64)
  case text(String)
  case bytes(Data)
  case null

  static func integer(_ value: Int64?) -> SQLiteValue { value.map { .integer($0) } ?? .null }
  static func text(_ value: String?) -> SQLiteValue { value.map { .text($0) } ?? .null }
  static func bytes(_ value: Data?) -> SQLiteValue { value.map { .bytes($0) } ?? .null }

  /// Binds the value to a parameter of a statement.
  ///
  /// - Parameter index: The index of the parameter, from 1.
  /// - Returns: SQLite's result code.
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    switch self {
    case .integer(let value): return sqlite3_bind_int64(statement, index, value)
    case .null: return sqlite3_bind_null(statement, index)
    case .text(var value):
      return value.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { characters in
          // The address of an empty string can be nil, which SQLite would bind as NULL.
          characters.baseAddress.map { curlew_sqlite_bind_text(statement, index, $0, UInt64(bytes.count)) }
            ?? curlew_sqlite_bind_text(statement, index, "", 0)
        }
      }
    case .bytes(let value):
      return value.withUnsafeBytes { bytes in
        bytes.isEmpty
          ? sqlite3_bind_zeroblob(statement, index, 0)
          : curlew_sqlite_bind_blob(statement, index, bytes.baseAddress, UInt64(bytes.count))
      }
    }
  }
}

/// The current row of a statement; valid until its next step.
struct SQLiteRow: ~Copyable {
  private let statement: OpaquePointer

  init(_ statement: OpaquePointer) { self.statement = statement }

  /// Returns an integer; 0 for NULL.
  ///
  /// - Parameter column: The index of the column, from 0.
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  func integerIfPresent(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  /// Returns a number, possibly fractional or very large, as an integer.
  func roundedNumber(_ column: Int32) -> Int64 {
    let number = sqlite3_column_double(statement, column)
    return number < 0x1p63 && number > -0x1p63 ? Int64(number) : .max
  }

  /// Returns text, with invalid UTF-8 repaired.
  ///
  /// Only another program can have written invalid UTF-8.
  func text(_ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(statement, column) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  func textIfPresent(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  func bytes(_ column: Int32) -> Data {
    guard let bytes = sqlite3_column_blob(statement, column) else { return Data() }
    return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, column)))
  }

  func bytesIfPresent(_ column: Int32) -> Data? { isNull(column) ? nil : bytes(column) }

  private func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
}
