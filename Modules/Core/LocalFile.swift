import Glibc

/// An open file of `LocalFileSystem`.
final class LocalFile: OpenFile {
  /// Which calls use the descriptor, so that it is not closed, and its number not given to another file, under them.
  private struct State {
    var descriptor: Int32
    var users = 0
    var isClosed = false
  }

  private let state: Guarded<State>
  private let path: String

  /// Takes a descriptor over.
  init(_ descriptor: Int32, path: String) {
    state = Guarded(State(descriptor: descriptor))
    self.path = path
  }

  deinit {
    let state = state.withLock { $0 }
    if !state.isClosed { Glibc.close(state.descriptor) }
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
        // A device that takes nothing and reports nothing would be asked for ever.
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
      try call("fallocate") { SpaceClaim.keepingLength($0, length) }
    } catch {
      // A file system that cannot claim space: writing finds out whether there is room.
      guard [EOPNOTSUPP, ENOSYS, EINVAL, ENODEV].contains(error.code) else { throw error }
    }
  }

  func length() throws(FileSystemError) -> Int64 {
    var status = stat()
    try call("fstat") { fstat($0, &status) }
    return Int64(status.st_size)
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

  func close() throws(FileSystemError) {
    let descriptor: Int32? = try state.withLock { state throws(FileSystemError) in
      guard !state.isClosed else { throw FileSystemError(code: EBADF, operation: "close", path: path) }
      state.isClosed = true
      return state.users == 0 ? state.descriptor : nil
    }
    // After EINTR the descriptor is gone on Linux: closing it again could close another file.
    guard let descriptor, Glibc.close(descriptor) != 0, errno != EINTR else { return }
    throw failure("close")
  }

  /// Runs one call that returns 0 or fails, again when it was interrupted.
  private func call(_ operation: String, _ body: (Int32) -> Int32) throws(FileSystemError) {
    try using(operation) { descriptor throws(FileSystemError) in
      while body(descriptor) != 0 {
        if errno != EINTR { throw failure(operation) }
      }
    }
  }

  /// Lends the descriptor; a `close` meanwhile takes effect when the last borrower is done.
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
      if isLast { Glibc.close(descriptor) }
    }
    return try body(descriptor)
  }

  private func failure(_ operation: String) -> FileSystemError {
    FileSystemError(.current, operation: operation, path: path)
  }
}

/// `fallocate(2)`, which Glibc's module does not show.
///
/// `posix_fallocate(3)` will not do: it lengthens the file, and writes into every block where the file system cannot
/// claim space.
private enum SpaceClaim {
  private typealias Function = @convention(c) (Int32, Int32, off_t, off_t) -> Int32
  private static let keepSize: Int32 = 1
  // Safe because this is the signature of `fallocate` where `off_t` has 64 bits.
  private static let function = dlsym(nil, "fallocate").map { unsafeBitCast($0, to: Function.self) }

  static func keepingLength(_ descriptor: Int32, _ length: Int64) -> Int32 {
    guard let function else {
      errno = ENOSYS
      return -1
    }
    return function(descriptor, keepSize, 0, off_t(length))
  }
}
