import Glibc

/// An open file of `LocalFileSystem`.
final class LocalFile: OpenFile {
  /// Counts the calls that use the descriptor.
  ///
  /// It must not be closed, and its number reused for another file, during a call.
  private struct State {
    var descriptor: Int32
    var users = 0
    var isClosed = false
  }

  /// `UTIME_OMIT`, which is a macro that Swift does not import.
  private static let omitted = (1 << 30) - 2

  private let state: Guarded<State>
  private let path: String

  /// Takes ownership of a descriptor.
  init(_ descriptor: Int32, path: String) {
    state = Guarded(State(descriptor: descriptor))
    self.path = path
  }

  deinit {
    let state = state.withLock { $0 }
    if !state.isClosed { Self.end(state.descriptor) }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileSystemError) -> Int {
    try using("pread") { descriptor throws(FileSystemError) in
      var done = 0
      while done < buffer.count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
        let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset &+ Int64(done)))
        if count == 0 { break }
        if count > 0 { done += count } else if errno != EINTR { throw failure("pread") }
      }
      return done
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError) {
    try using("pwrite") { descriptor throws(FileSystemError) in
      var done = 0
      while done < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
        let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset &+ Int64(done)))
        // A device that accepts nothing and reports no error would cause an endless loop.
        guard count != 0 else { throw FileSystemError(code: EIO, operation: "pwrite", path: path) }
        if count > 0 { done += count } else if errno != EINTR { throw failure("pwrite") }
      }
    }
  }

  func synchronize() throws(FileSystemError) { try call("fdatasync") { fdatasync($0) } }

  func truncate(to length: Int64) throws(FileSystemError) { try call("ftruncate") { ftruncate($0, off_t(length)) } }

  func preallocate(_ length: Int64) throws(FileSystemError) {
    guard length > 0 else { return }
    do throws(FileSystemError) {
      try call("fallocate") { HiddenCalls.reserve($0, length) }
    } catch {
      // This file system cannot reserve space; a later write will find out whether there is room.
      guard [EOPNOTSUPP, ENOSYS, EINVAL, ENODEV].contains(error.code) else { throw error }
    }
  }

  func status() throws(FileSystemError) -> FileStatus {
    var status = stat()
    try call("fstat") { fstat($0, &status) }
    return FileStatus(status)
  }

  func setPermissions(_ permissions: UInt16) throws(FileSystemError) {
    try call("fchmod") { fchmod($0, mode_t(permissions & 0o777)) }
  }

  func setModified(_ seconds: Int64) throws(FileSystemError) {
    // The first is the time of the last access, which is not changed.
    let times = [timespec(tv_sec: 0, tv_nsec: Self.omitted), timespec(tv_sec: Int(seconds), tv_nsec: 0)]
    try call("futimens") { futimens($0, times) }
  }

  func tryLock() throws(FileSystemError) -> Bool {
    do throws(FileSystemError) {
      try call("flock") { flock($0, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      guard error.code == EWOULDBLOCK else { throw error }
      return false
    }
  }

  func releaseCache(from start: Int64, to end: Int64) {
    // Ignore errors: it is only advice.
    try? using("posix_fadvise") { _ = posix_fadvise($0, off_t(start), off_t(end - start), POSIX_FADV_DONTNEED) }
  }

  func close() throws(FileSystemError) {
    let descriptor: Int32? = try state.withLock { state throws(FileSystemError) in
      guard !state.isClosed else { throw FileSystemError(code: EBADF, operation: "close", path: path) }
      state.isClosed = true
      return state.users == 0 ? state.descriptor : nil
    }
    // On Linux the descriptor is closed even after EINTR; closing it again could close another file.
    guard let descriptor, Self.end(descriptor) != 0, errno != EINTR else { return }
    throw failure("close")
  }

  /// Runs a call that returns 0 on success, and repeats it when interrupted.
  private func call(_ operation: String, _ body: (Int32) -> Int32) throws(FileSystemError) {
    try using(operation) { descriptor throws(FileSystemError) in
      while body(descriptor) != 0 {
        if errno != EINTR { throw failure(operation) }
      }
    }
  }

  /// Lends the descriptor; a concurrent `close` takes effect after the last borrower.
  private func using<Result>(
    _ operation: String, _ body: (Int32) throws(FileSystemError) -> Result
  ) throws(FileSystemError) -> Result {
    let descriptor = try state.withLock { state throws(FileSystemError) in
      guard !state.isClosed else { throw FileSystemError(code: EBADF, operation: operation, path: path) }
      state.users += 1
      return state.descriptor
    }
    defer {
      let isLast = state.withLock { state in
        state.users -= 1
        return state.isClosed && state.users == 0
      }
      if isLast { Self.end(descriptor) }
    }
    return try body(descriptor)
  }

  /// Releases the lock and closes the descriptor.
  ///
  /// A child process has a copy of the descriptor until it calls `exec`, and `close` alone would leave the lock to that copy.
  @discardableResult
  private static func end(_ descriptor: Int32) -> Int32 {
    flock(descriptor, LOCK_UN)
    return Glibc.close(descriptor)
  }

  private func failure(_ operation: String) -> FileSystemError {
    FileSystemError(.current, operation: operation, path: path)
  }
}
