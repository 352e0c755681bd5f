import CSQLite
import FoundationEssentials

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
