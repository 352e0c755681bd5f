public import CurlewCore

/// Keeps other processes, and other tasks of this one, from what a file stands for.
///
/// The lock is the system's (`flock(2)`): it ends with `release`, with the last reference, or with the process, however
/// that dies. The file stays; removing it would let two hold "the" lock. It is advisory, and on a network file system as
/// good as that system's locks.
public final class LockFile: Sendable {
  /// The file's path.
  public let path: String
  private let file: any OpenFile

  /// Takes the lock at once, or not at all.
  ///
  /// The file is made, mode 0600, where there is none.
  ///
  /// - Returns: nil while another holder has it.
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

  /// Gives the lock up; once is enough.
  public func release() {
    // A second close has nothing to close, and a lock has nothing that could be lost late.
    try? file.close()
  }
}
