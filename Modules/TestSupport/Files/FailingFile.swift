import CurlewCore

/// An open file of `FailingFileSystem`.
final class FailingFile: OpenFile {
  private let file: any OpenFile
  private let files: FailingFileSystem
  private let path: String

  init(_ file: any OpenFile, _ files: FailingFileSystem, path: String) {
    self.file = file
    self.files = files
    self.path = path
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileSystemError) -> Int {
    try files.check(.read, path)
    return try file.read(into: buffer, at: offset)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError) {
    let (count, failure) = files.admit(bytes.count, path)
    if count > 0 || failure == nil { try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset) }
    if let failure { throw failure }
  }

  func synchronize() throws(FileSystemError) {
    try files.check(.synchronize, path)
    try file.synchronize()
  }

  func truncate(to length: Int64) throws(FileSystemError) {
    try files.check(.truncate, path)
    try file.truncate(to: length)
  }

  func preallocate(_ length: Int64) throws(FileSystemError) {
    try files.check(.preallocate, path)
    try file.preallocate(length)
  }

  func status() throws(FileSystemError) -> FileStatus {
    try files.check(.openStatus, path)
    return try file.status()
  }

  func setPermissions(_ permissions: UInt16) throws(FileSystemError) {
    try files.check(.setPermissions, path)
    try file.setPermissions(permissions)
  }

  func setModified(_ seconds: Int64) throws(FileSystemError) {
    try files.check(.setModified, path)
    try file.setModified(seconds)
  }

  func releaseCache(from start: Int64, to end: Int64) { file.releaseCache(from: start, to: end) }

  func tryLock() throws(FileSystemError) -> Bool {
    try files.check(.lock, path)
    return try file.tryLock()
  }

  func close() throws(FileSystemError) {
    // The descriptor is closed in any case, as with `close(2)`.
    try file.close()
    try files.check(.close, path)
  }
}
