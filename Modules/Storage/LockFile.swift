public import CurlewCore

/// Locks out other processes, and other tasks of this one, by a file.
///
/// The lock is the system's (`flock(2)`): it ends with `release`, with the last reference, or with the process, however
/// it dies. The file stays; if it were removed, two holders could lock two different files of that name. The lock is
/// advisory; on a network file system it is as reliable as that system's locks.
public final class LockFile: Sendable {
  /// The file's path.
  public let path: String
  private let file: any OpenFile

  /// Takes the lock if it is free, without waiting.
  ///
  /// Creates the file with mode 0600 if it does not exist.
  ///
  /// - Returns: nil when another holder has the lock.
  /// - Throws: `FileSystemError`.
  public static func tryAcquire(
    _ path: String, in files: any FileSystem = LocalFileSystem()
  ) throws(FileSystemError) -> LockFile? {
    let file = try files.open(path, [.read, .write, .create, .noFollow])
    return try file.tryLock() ? LockFile(path, file) : nil
  }

  private init(_ path: String, _ file: any OpenFile) {
    self.path = path
    self.file = file
  }

  /// Releases the lock; further calls do nothing.
  public func release() {
    // An error of `close` cannot matter: the lock is released in any case and no bytes were written.
    try? file.close()
  }
}
