import CSQLite

/// The SQLite library of the system.
enum SQLiteLibrary {
  /// Its version as one number: 3,040,001 is 3.40.1.
  static var version: Int { Int(sqlite3_libversion_number()) }
}
