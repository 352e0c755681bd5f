import CurlewCore
import Glibc

/// An open file of `MemoryFileSystem`.
final class MemoryFile: OpenFile {
  private let files: MemoryFileSystem
  private let number: Int
  private let era: Int
  private let options: FileOpenOptions
  private let path: String
  private let isClosed = Guarded(false)

  init(_ files: MemoryFileSystem, _ number: Int, era: Int, _ options: FileOpenOptions, path: String) {
    self.files = files
    self.number = number
    self.era = era
    self.options = options
    self.path = path
  }

  deinit { release() }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileSystemError) -> Int {
    let bytes = try using("pread", offset, needing: .read) { state throws(FileSystemError) in
      state.inodes[number]?.content.read(buffer.count, at: offset) ?? []
    }
    buffer.copyBytes(from: bytes)
    return bytes.count
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError) {
    let bytes = Array(bytes)
    guard offset <= Int64.max - Int64(bytes.count) else { throw failure(EFBIG, "pwrite") }
    try using("pwrite", offset, needing: .write) { state throws(FileSystemError) in
      guard var inode = state.inodes[number] else { return }
      var fitting = bytes[...]
      let room = files.capacity - state.storedBytes
      // The result depends on whole pages, so the first bytes that fit are found page by page.
      while inode.content.growth(writing: fitting.count, at: offset) > room {
        let tail = Int((offset + Int64(fitting.count)) % SparseBytes.pageSize)
        fitting = fitting.dropLast(min(fitting.count, tail == 0 ? Int(SparseBytes.pageSize) : tail))
      }
      if !fitting.isEmpty { inode.write(fitting, at: offset, keeping: files.capacity) }
      state.inodes[number] = inode
      if fitting.count < bytes.count { throw failure(ENOSPC, "pwrite") }
    }
  }

  func synchronize() throws(FileSystemError) {
    try using("fdatasync") { state throws(FileSystemError) in state.inodes[number]?.synchronize() }
  }

  func truncate(to length: Int64) throws(FileSystemError) {
    try using("ftruncate", length, needing: .write) { state throws(FileSystemError) in
      state.inodes[number]?.truncate(to: length, keeping: files.capacity)
    }
  }

  func preallocate(_ length: Int64) throws(FileSystemError) {
    try using("fallocate", length, needing: .write) { state throws(FileSystemError) in
      let missing = length - (state.inodes[number]?.storedBytes ?? 0)
      if missing > files.capacity - state.storedBytes { throw failure(ENOSPC, "fallocate") }
    }
  }

  func status() throws(FileSystemError) -> FileStatus {
    return try using("fstat") { state throws(FileSystemError) in
      guard let status = state.status(of: number) else { throw failure(EBADF, "fstat") }
      return status
    }
  }

  func setPermissions(_ permissions: UInt16) throws(FileSystemError) {
    try using("fchmod") { state throws(FileSystemError) in
      state.inodes[number]?.permissions = permissions & 0o777
    }
  }

  func setModified(_ seconds: Int64) throws(FileSystemError) {
    try using("futimens") { state throws(FileSystemError) in state.inodes[number]?.modified = seconds }
  }

  func tryLock() throws(FileSystemError) -> Bool {
    try using("flock") { state throws(FileSystemError) in
      if let holder = state.locks[number] { return holder == ObjectIdentifier(self) }
      state.locks[number] = ObjectIdentifier(self)
      return true
    }
  }

  func close() throws(FileSystemError) {
    try using("close") { _ throws(FileSystemError) in }
    release()
  }

  private func release() {
    let isFirst = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return !isClosed
    }
    guard isFirst else { return }
    files.state.withLock { state in
      guard state.era == era else { return }
      if state.locks[number] == ObjectIdentifier(self) { state.locks[number] = nil }
      state.openCounts[number] = state.openCounts[number].flatMap { $0 > 1 ? $0 - 1 : nil }
      state.dropUnreachable()
    }
  }

  private func using<Result>(
    _ operation: String, _ offset: Int64 = 0, needing needed: FileOpenOptions = [],
    _ body: (inout MemoryFileSystem.State) throws(FileSystemError) -> Result
  ) throws(FileSystemError) -> Result {
    guard !isClosed.withLock({ $0 }), options.isSuperset(of: needed) else { throw failure(EBADF, operation) }
    guard offset >= 0 else { throw failure(EINVAL, operation) }
    return try files.state.withLock { state throws(FileSystemError) in
      guard state.era == era else { throw failure(EBADF, operation) }
      return try body(&state)
    }
  }

  private func failure(_ code: Int32, _ operation: String) -> FileSystemError {
    FileSystemError(code: code, operation: operation, path: path)
  }
}
