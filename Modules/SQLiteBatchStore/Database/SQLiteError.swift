import CSQLite
import FoundationEssentials

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
