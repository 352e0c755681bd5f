import CSQLite
import CurlewBatch
import CurlewCore
import FoundationEssentials
import Glibc

/// Makes the errors of a store, which name its file.
enum LedgerFailure {
  static func inUse(_ path: String) -> BatchError {
    BatchError(.storeInUse, "Another process works on the store \(path).")
  }

  /// The error of a call that has waited for another program's lock on the file.
  static func busy(_ path: String, _ cause: any Error) -> BatchError {
    var error = BatchError(
      .storeInUse, "Another program holds a lock on the store \(path); nothing was changed.", underlying: cause)
    error.isTransient = true
    return error
  }

  static func severalNames(_ path: String) -> BatchError {
    BatchError(
      .storeUnreadable, "The store \(path) has a second name (a hard link); remove that, or take another store.")
  }

  static func readOnly(_ path: String, _ cause: (any Error)? = nil) -> BatchError {
    BatchError(.storeReadOnly, "The store \(path) may not be written.", underlying: cause)
  }

  static func missing(_ path: String) -> BatchError {
    BatchError(.storeUnreadable, "There is no store at \(path).")
  }

  static func notAStore(_ path: String) -> BatchError {
    BatchError(.storeUnreadable, "\(path) is a database of another program, not a batch store; take another file.")
  }

  static func damaged(_ path: String) -> BatchError {
    BatchError(.storeUnreadable, "The store \(path) is damaged.")
  }

  static func version(_ version: Int64, _ path: String) -> BatchError {
    BatchError(
      .storeUnreadable,
      "The store \(path) has version \(version); this program knows version \(LedgerSchema.version).")
  }

  static func noLog(_ path: String) -> BatchError {
    BatchError(
      .storeFailed,
      "The file system of \(path) has no shared memory for a write-ahead log; keep the store on a local disk.")
  }

  static func closed(_ path: String) -> BatchError { BatchError(.storeFailed, "The store \(path) is closed.") }

  static func leaseLost(_ name: String) -> BatchError {
    BatchError(.leaseLost, item: name, "its lease is over")
  }

  static func unknown(_ name: String) -> BatchError {
    BatchError(.unknownItem, item: name, "the store has no such item")
  }

  /// Returns the error for a failed call of the file system.
  static func error(_ error: FileSystemError, _ path: String) -> BatchError {
    switch error.code {
    case EROFS, EACCES, EPERM: readOnly(path, error)
    case ENOSPC, EDQUOT: full(path, error)
    case EISDIR, EINVAL, ELOOP:
      BatchError(.storeUnreadable, "\(path) is no file that can hold a store.", underlying: error)
    default: BatchError(.storeFailed, "The store \(path) cannot be used: \(error.reason).", underlying: error)
    }
  }

  /// Runs a closure, and translates SQLite's errors into errors of the store.
  static func translating<Output>(_ path: String, _ body: () throws -> Output) throws -> Output {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw self.error(error, path)
    }
  }

  static func error(_ error: SQLiteError, _ path: String) -> BatchError {
    switch error.primaryCode {
    case SQLITE_FULL: full(path, error)
    case _ where error.system == ENOSPC || error.system == EDQUOT: full(path, error)
    case SQLITE_READONLY, SQLITE_PERM: readOnly(path, error)
    case _ where error.system == EROFS || error.system == EACCES: readOnly(path, error)
    case SQLITE_BUSY, SQLITE_LOCKED: busy(path, error)
    case SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_FORMAT:
      BatchError(
        .storeUnreadable, "\(path) is damaged, or is not a batch store: \(error.message).", underlying: error)
    default: BatchError(.storeFailed, "The store \(path) failed: \(error.message).", underlying: error)
    }
  }

  private static func full(_ path: String, _ cause: any Error) -> BatchError {
    BatchError(.storeFull, "There is no room for the store \(path); nothing was changed.", underlying: cause)
  }
}
