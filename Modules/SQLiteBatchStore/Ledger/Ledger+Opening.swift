import CurlewBatch
import CurlewCore
import FoundationEssentials
import Glibc

extension Ledger {
  /// Opens the file of a store for writing, and creates it if it is missing.
  ///
  /// Leases that an earlier process has left are ended: this process has the lock, so the earlier one is gone.
  ///
  /// - Throws: `BatchError` of kind `storeInUse`, `storeReadOnly`, `storeFull`, `storeUnreadable` or `storeFailed`.
  static func openForWriting(_ given: String, _ clock: any NetworkClock) throws -> Ledger {
    let (path, lock): (String, StoreLock)
    do {
      path = try real(given)
      lock = try take(path)
    } catch let error as FileSystemError {
      throw LedgerFailure.error(error, given)
    }
    return try LedgerFailure.translating(path) {
      let connection = try SQLiteConnection(path, for: .writing)
      // SQLite opens a file without write permission for reading, and reports it only here.
      guard !connection.isReadOnly else { throw LedgerFailure.readOnly(path) }
      if try connection.integer("PRAGMA application_id") == 0, try connection.integer("PRAGMA user_version") == 0,
        try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
      {
        try connection.execute("BEGIN IMMEDIATE;\(LedgerSchema.tables)COMMIT;")
      }
      try checkVersion(connection, path)
      guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else { throw LedgerFailure.noLog(path) }
      try connection.execute(LedgerSchema.writing)
      let ledger = try Ledger(connection, path: path, lock: lock, LedgerTime(clock))
      try lock.takeLog(of: path)
      try ledger.takeOver()
      return ledger
    }
  }

  /// Returns the path of the file to which a symbolic link leads: the names of the lock and of the log are made from it.
  private static func real(_ path: String) throws(FileSystemError) -> String {
    try LocalFileSystem().linkStatus(path)?.kind == .symbolicLink ? LocalFileSystem().resolved(path) : path
  }

  /// Acquires the lock, and creates the file if it is missing.
  private static func take(_ path: String) throws -> StoreLock {
    let files = LocalFileSystem()
    guard let lock = try StoreLock(path) else { throw LedgerFailure.inUse(path) }
    // SQLite would create a file that every user can read, and the URLs of items can contain secrets.
    if try files.status(path) == nil { try files.open(path, [.read, .write, .create, .noFollow]).close() }
    // Each name of a file with several hard links has a log of its own, so their writers would not see each other.
    var status = stat()
    if stat(path, &status) == 0, status.st_nlink > 1 { throw LedgerFailure.severalNames(path) }
    return lock
  }

  /// Opens the file of a store for reading, even while another process writes it.
  ///
  /// - Throws: `BatchError`, like `openForWriting`; of kind `storeUnreadable` if the file is missing.
  static func openForReading(_ path: String, _ clock: any NetworkClock) throws -> Ledger {
    do {
      guard try LocalFileSystem().status(path)?.kind == .regular else { throw LedgerFailure.missing(path) }
    } catch let error as FileSystemError {
      throw LedgerFailure.error(error, path)
    }
    return try LedgerFailure.translating(path) {
      let connection = try readingConnection(path)
      try checkVersion(connection, path)
      return try Ledger(connection, path: path, lock: nil, LedgerTime(clock))
    }
  }

  private static func readingConnection(_ path: String) throws(SQLiteError) -> SQLiteConnection {
    do throws(SQLiteError) {
      let connection = try SQLiteConnection(path, for: .reading)
      _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
      return connection
    } catch {
      // On a read-only medium SQLite cannot create the shared memory of readers. A file with an empty log does not need it.
      let log = try? LocalFileSystem().status(path + "-wal")
      guard error.isCannotOpen || error.isReadOnly, (log?.length ?? 0) == 0 else { throw error }
      return try SQLiteConnection(path, for: .readingImmutable)
    }
  }

  private static func checkVersion(_ connection: SQLiteConnection, _ path: String) throws {
    let application = try connection.integer("PRAGMA application_id")
    guard application == LedgerSchema.application else { throw LedgerFailure.notAStore(path) }
    let version = try connection.integer("PRAGMA user_version")
    guard version == LedgerSchema.version else { throw LedgerFailure.version(version, path) }
  }

  /// Ends the leases and the delays of an earlier process.
  private func takeOver() throws {
    try transaction {
      let now = time.now
      while let row = try statements.nextInLeased.first(read: LedgerRow.init) {
        try lose(row, since: min(row.moment, now))
      }
      // Delays before a retry end now: a user who starts the program again expects it to try again.
      try connection.execute("UPDATE item SET state = 1, since = \(now) WHERE state = 2")
      // If the clock was set back, some items became ready at a time that now lies in the future.
      try connection.execute("UPDATE item SET since = \(now) WHERE state = 1 AND since > \(now)")
      try rebuildHeads()
    }
    try recount()
  }
}
