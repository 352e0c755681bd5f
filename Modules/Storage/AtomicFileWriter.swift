public import CurlewCore
import FoundationEssentials
import Glibc

/// Writes one replacement of a file in pieces.
///
/// Readers see nothing of it before `commit`. A writer that fails, is discarded or is released leaves nothing behind;
/// if its process is killed, it leaves a temporary file for `AtomicFile.removeLeftovers`. Call `append`, then `commit`
/// or `discard`, from one task at a time.
public final class AtomicFileWriter: Sendable {
  private struct State {
    var length: Int64 = 0
    var isOver = false
  }

  private let target: AtomicFile
  private let temporaryPath: String
  private let file: any OpenFile
  private let state = Guarded(State())

  /// Creates a temporary file at a fixed path, or takes over an existing one.
  ///
  /// All writers of the target use this path, and its lock admits one at a time.
  ///
  /// - Throws: `FileSystemError`, with `EWOULDBLOCK` when another writer has it.
  init(_ target: AtomicFile, at path: String) throws(FileSystemError) {
    self.target = target
    temporaryPath = path
    let file = try target.files.open(path, [.read, .write, .create, .noFollow])
    // The other writer may also have renamed or removed the file before it was locked.
    guard try file.tryLock(), try target.files.linkStatus(path)?.identity == file.status().identity else {
      throw FileSystemError(code: EWOULDBLOCK, operation: "flock", path: path)
    }
    try file.truncate(to: 0)
    // Assigned last: after a failure above, `deinit` does not run, which would remove the other writer's file.
    self.file = file
  }

  init(_ target: AtomicFile) throws(FileSystemError) {
    self.target = target
    var options: FileOpenOptions = [.read, .write, .create, .exclusive, .noFollow]
    // Bytes that only the owner may read must not be readable while they are written.
    let replaced = target.access == .ordinary ? try target.files.linkStatus(target.path) : nil
    if target.access == .ordinary, replaced?.kind != .regular { options.insert(.ordinaryMode) }
    var attempts = 0
    while true {
      let path = TemporaryName.beside(target.path)
      attempts += 1
      let file: any OpenFile
      do throws(FileSystemError) {
        file = try target.files.open(path, options)
      } catch {
        guard error.code == EEXIST, attempts < 16 else { throw error }
        continue
      }
      // The lock tells clean-ups that the file is in use; one of them may have locked it first. On file systems without
      // locks, clean-ups remove nothing.
      let isBeingRemoved = (try? file.tryLock()) == false
      guard attempts < 16, isBeingRemoved || Self.isGone(path, target.files) else {
        temporaryPath = path
        self.file = file
        return
      }
    }
  }

  deinit { discard() }

  /// The number of bytes appended so far.
  public var length: Int64 { state.withLock { $0.length } }

  /// Appends bytes.
  ///
  /// - Throws: `FileSystemError`; the replacement is then discarded.
  public func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
    let offset = state.withLock { state -> Int64? in
      guard !state.isOver else { return nil }
      defer { state.length += Int64(bytes.count) }
      return state.length
    }
    guard let offset else { throw ended("write") }
    guard !bytes.isEmpty else { return }
    do throws(FileSystemError) {
      try file.write(bytes, at: offset)
    } catch {
      discard()
      throw error
    }
  }

  /// Appends bytes.
  func append(_ data: Data) throws(FileSystemError) {
    var failure: FileSystemError?
    data.withUnsafeBytes { bytes in
      do throws(FileSystemError) { try append(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Gives the complete file its name, in place of the old one.
  ///
  /// - Throws: `FileSystemError`, with `EINVAL` when the path is a device or a pipe. The old file is then unchanged. If
  ///   only the synchronization of the directory failed, the new file is in place.
  public func commit() throws(FileSystemError) {
    do throws(FileSystemError) {
      // A rename would replace a device or a pipe, which a caller that writes to it does not expect.
      guard try target.files.status(target.path)?.kind != .other else {
        throw FileSystemError(code: EINVAL, operation: "replace", path: target.path)
      }
    } catch {
      discard()
      throw error
    }
    try commit(as: target.path)
  }

  /// Commits under a name in the same directory that was unknown at the start.
  func commit(as path: String) throws(FileSystemError) {
    let file = try publish(as: path, replacing: true)
    try synchronizeDirectory()
    try file.close()
  }

  /// Gives the file its name and keeps it open and locked.
  ///
  /// For a file that will be extended. The directory is synchronized.
  ///
  /// - Throws: `FileSystemError`, with `EEXIST` when the name is taken and `replacing` is false.
  func publish(replacing: Bool) throws(FileSystemError) -> any OpenFile {
    let file = try publish(as: target.path, replacing: replacing)
    try synchronizeDirectory()
    return file
  }

  private func publish(as path: String, replacing: Bool) throws(FileSystemError) -> any OpenFile {
    guard end() else { throw ended("rename") }
    do throws(FileSystemError) {
      if target.access == .ordinary, let old = try target.files.linkStatus(path), old.kind == .regular {
        try file.setPermissions(old.permissions)
      }
      if target.durability == .powerFailure { try file.synchronize() }
      try target.files.rename(temporaryPath, to: path, replacing: replacing)
    } catch {
      removeTemporary()
      throw error
    }
    return file
  }

  private func synchronizeDirectory() throws(FileSystemError) {
    guard target.durability == .powerFailure else { return }
    try target.files.synchronizeDirectory(TemporaryName.directory(of: target.path))
  }

  /// Discards the replacement; does nothing after `commit` or a failure.
  public func discard() {
    if end() { removeTemporary() }
  }

  private static func isGone(_ path: String, _ files: any FileSystem) -> Bool {
    do throws(FileSystemError) { return try files.status(path) == nil } catch { return false }
  }

  private func end() -> Bool {
    state.withLock { state in
      defer { state.isOver = true }
      return !state.isOver
    }
  }

  private func removeTemporary() {
    // If the removal fails, a later clean-up removes the file; the failure that led here is the one to report.
    try? target.files.remove(temporaryPath)
    try? file.close()
  }

  private func ended(_ operation: String) -> FileSystemError {
    FileSystemError(code: EBADF, operation: operation, path: target.path)
  }
}
