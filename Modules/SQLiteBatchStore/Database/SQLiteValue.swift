import CSQLite
import FoundationEssentials

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
