import CSQLite

/// The SQLite library of the system.
enum SQLiteLibrary {
  /// The version of the library as one number: 3,040,001 is 3.40.1.
  static var version: Int { Int(sqlite3_libversion_number()) }
}
