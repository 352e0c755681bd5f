public import CurlewCore
import Glibc

/// One replacement of a file, piece by piece.
///
/// Nothing is seen at the file's path before `commit`. A writer that fails, is discarded or is dropped leaves nothing
/// behind; one whose process is killed leaves a temporary file for `AtomicFile.removeLeftovers`. One task at a time calls
/// `append`, then `commit` or `discard`.
public final class AtomicFileWriter: Sendable {
  private struct State {
    var length: Int64 = 0
    var isOver = false
  }

  private let target: AtomicFile
  private let temporaryPath: String
  private let file: any OpenFile
  private let state = Guarded(State())

  init(_ target: AtomicFile) throws(FileSystemError) {
    self.target = target
    var options: FileOpenOptions = [.read, .write, .create, .exclusive, .noFollow]
    if target.access == .ordinary { options.insert(.ordinaryMode) }
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
      // The lock tells those who tidy up that it is in use; one of them may have been quicker. Where there are no locks
      // nobody tidies up.
      let isBeingRemoved = (try? file.tryLock()) == false
      guard attempts < 16, isBeingRemoved || Self.isGone(path, target.files) else {
        temporaryPath = path
        self.file = file
        return
      }
    }
  }

  deinit { discard() }

  /// How many bytes were appended.
  public var length: Int64 { state.withLock { $0.length } }

  /// Adds bytes at the end.
  ///
  /// - Throws: `FileSystemError`; the replacement is discarded then.
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

  /// Gives the file its name, complete.
  ///
  /// - Throws: `FileSystemError`, with `EINVAL` where a device or a pipe stands at the path. The old file is whole then,
  ///   or, where only the directory could not be synchronized, the new one is.
  public func commit() throws(FileSystemError) {
    do throws(FileSystemError) {
      // A name can take the place of a device or a pipe, which nobody means who writes to it.
      guard try target.files.status(target.path)?.kind != .other else {
        throw FileSystemError(code: EINVAL, operation: "replace", path: target.path)
      }
    } catch {
      discard()
      throw error
    }
    try commit(as: target.path)
  }

  /// Gives the file a name in the same directory that was not known when it was begun.
  func commit(as path: String) throws(FileSystemError) {
    guard end() else { throw ended("rename") }
    let isDurable = target.durability == .powerFailure
    do throws(FileSystemError) {
      if isDurable { try file.synchronize() }
      try target.files.rename(temporaryPath, to: path)
    } catch {
      removeTemporary()
      throw error
    }
    if isDurable { try target.files.synchronizeDirectory(TemporaryName.directory(of: target.path)) }
    try file.close()
  }

  /// Gives the replacement up; does nothing after the end.
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
    // What cannot be removed now is a leftover; the failure that led here matters more.
    try? target.files.remove(temporaryPath)
    try? file.close()
  }

  private func ended(_ operation: String) -> FileSystemError {
    FileSystemError(code: EBADF, operation: operation, path: target.path)
  }
}
