import CSQLite
import CurlewCore
import FoundationEssentials

/// One open database.
///
/// Every call may block on the disk.
// Safe because one thread at a time uses it: the store's own.
final class SQLiteConnection: @unchecked Sendable {
  /// The purpose for which a database is opened.
  enum Purpose: Sendable {
    /// Reading and writing an existing file; its creator sets its permissions.
    case writing
    /// Reading, also while another process writes.
    case reading
    /// Reading a file that no process writes, on a medium that is read-only.
    case readingImmutable
  }

  private let connection: OpaquePointer

  /// Opens a database.
  init(_ path: String, for purpose: Purpose) throws(SQLiteError) {
    var connection: OpaquePointer?
    let access = purpose == .writing ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI
    let code = sqlite3_open_v2(Self.uri(path, purpose), &connection, flags, nil)
    guard code == SQLITE_OK, let connection else {
      let error = SQLiteError(code, on: connection)
      sqlite3_close_v2(connection)
      throw error
    }
    self.connection = connection
    // A reader has to wait only while the log of a killed writer is being recovered.
    sqlite3_busy_timeout(connection, 10_000)
  }

  // The database stays open until its last statement is finalized.
  deinit { sqlite3_close_v2(connection) }

  /// Returns the path as a URI, with every special character escaped.
  static func uri(_ path: String, _ purpose: Purpose) -> String {
    // Two slashes would begin a host.
    let start = path.hasPrefix("//") ? "file:%2F" : "file:"
    let rest = path.hasPrefix("//") ? String(path.dropFirst()) : path
    return start + PercentEncoding.encoded(rest, except: "/") + (purpose == .readingImmutable ? "?immutable=1" : "")
  }

  /// Compiles a statement that is kept and run again and again.
  func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement { try SQLiteStatement(sql, on: connection) }

  /// Runs statements without values and without results, separated by semicolons.
  func execute(_ sql: String) throws(SQLiteError) {
    let code = sqlite3_exec(connection, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code, on: connection) }
  }

  /// Returns the integer result of a pragma or a query; 0 without a row.
  func integer(_ sql: String) throws(SQLiteError) -> Int64 {
    try prepare(sql).first { row in row.integer(0) } ?? 0
  }

  /// Returns the text result of a pragma; an empty string without a row.
  func text(_ sql: String) throws(SQLiteError) -> String {
    try prepare(sql).first { row in row.text(0) } ?? ""
  }

  /// Whether the database was opened read-only.
  var isReadOnly: Bool { sqlite3_db_readonly(connection, "main") == 1 }

  /// Whether a transaction is open; after some errors, SQLite ends it itself.
  var isInTransaction: Bool { sqlite3_get_autocommit(connection) == 0 }
}

/// A failed call of SQLite.
struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The extended result code (https://sqlite.org/rescode.html).
  var code: Int32
  /// The error message of SQLite.
  var message: String
  /// The system's error number (`errno`); 0 if no system call has failed.
  var system: Int32

  /// The result code without its extension.
  var primaryCode: Int32 { code & 0xFF }
  var isCannotOpen: Bool { primaryCode == SQLITE_CANTOPEN }
  var isReadOnly: Bool { primaryCode == SQLITE_READONLY }

  var description: String { "\(message) (SQLite \(code))" }

  /// Creates an error.
  init(code: Int32, message: String, system: Int32 = 0) {
    self.code = code
    self.message = message
    self.system = system
  }

  /// Creates the error of a call that has just failed on a connection.
  ///
  /// - Parameter connection: The connection; nil if SQLite could not allocate one.
  init(_ code: Int32, on connection: OpaquePointer?) {
    let isOfSystem = [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL].contains(code & 0xFF)
    self.init(
      code: code, message: String(cString: connection.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)),
      system: isOfSystem ? connection.map { sqlite3_system_errno($0) } ?? 0 : 0)
  }
}

extension SQLiteError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  var errorDescription: String? { description }
}
