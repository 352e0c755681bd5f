import CurlewBatch
import CurlewCore
import CurlewStorage

/// Keeps other writers away from the file of a store.
final class StoreLock: Sendable {
  private let file: LockFile
  private let log = Guarded<LockFile?>(nil)

  /// Takes the lock beside the file; nil if another writer has it.
  ///
  /// - Throws: `FileSystemError`.
  init?(_ path: String) throws(FileSystemError) {
    guard let file = try LockFile.tryAcquire(path + "-lock") else { return nil }
    self.file = file
  }

  /// Takes the lock on SQLite's log, which exists as long as a writer does, also if somebody has removed the other lock's file.
  ///
  /// SQLite itself holds no lock on the log, so closing the file releases none of its own.
  ///
  /// - Throws: `BatchError`, of kind `storeInUse` if another writer has the lock.
  func takeLog(of path: String) throws {
    do {
      guard let lock = try LockFile.tryAcquire(path + "-wal") else { throw LedgerFailure.inUse(path) }
      log.withLock { $0 = lock }
    } catch let error as FileSystemError {
      throw LedgerFailure.error(error, path)
    }
  }

  /// Releases both locks.
  func release() {
    file.release()
    log.withLock { $0 }?.release()
  }
}
