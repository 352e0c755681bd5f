import CurlewCore
import CurlewTestSupport
import Glibc
import Testing

/// A file system whose every call takes its time, and which is not to be called on a transport's thread.
///
/// It keeps which bytes were released from the cache.
final class SlowFileSystem: FileSystem {
  private let files: MemoryFileSystem
  private let delay: useconds_t
  private let calls = Guarded(0)
  private let releases = Guarded<[Range<Int64>]>([])

  /// - Parameter milliseconds: How long each call takes.
  init(_ files: MemoryFileSystem, milliseconds: UInt32) {
    self.files = files
    delay = milliseconds * 1_000
  }

  /// How many calls were made.
  var callCount: Int { calls.withLock { $0 } }
  /// What was released from the cache.
  var released: [Range<Int64>] { releases.withLock { $0 } }

  fileprivate func note(_ range: Range<Int64>) { releases.withLock { $0.append(range) } }

  fileprivate func slow() {
    #expect(!TransportThread.isCurrent)
    calls.withLock { $0 += 1 }
    // Sleeps because a slow disk is what is tested; it runs on the disk's thread.
    usleep(delay)
  }

  func open(_ path: String, _ options: FileOpenOptions) throws(FileSystemError) -> any OpenFile {
    slow()
    return SlowFile(try files.open(path, options), self)
  }

  func status(_ path: String) throws(FileSystemError) -> FileStatus? {
    slow()
    return try files.status(path)
  }

  func linkStatus(_ path: String) throws(FileSystemError) -> FileStatus? {
    slow()
    return try files.linkStatus(path)
  }

  func resolved(_ path: String) throws(FileSystemError) -> String {
    slow()
    return try files.resolved(path)
  }

  func rename(_ path: String, to newPath: String, replacing: Bool) throws(FileSystemError) {
    slow()
    try files.rename(path, to: newPath, replacing: replacing)
  }

  func remove(_ path: String) throws(FileSystemError) {
    slow()
    try files.remove(path)
  }

  func createDirectory(_ path: String) throws(FileSystemError) {
    slow()
    try files.createDirectory(path)
  }

  func list(_ path: String) throws(FileSystemError) -> [String] {
    slow()
    return try files.list(path)
  }

  func synchronizeDirectory(_ path: String) throws(FileSystemError) {
    slow()
    try files.synchronizeDirectory(path)
  }

  func availableBytes(_ path: String) throws(FileSystemError) -> Int64 {
    slow()
    return try files.availableBytes(path)
  }
}

private final class SlowFile: OpenFile {
  private let file: any OpenFile
  private let files: SlowFileSystem

  init(_ file: any OpenFile, _ files: SlowFileSystem) {
    self.file = file
    self.files = files
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileSystemError) -> Int {
    files.slow()
    return try file.read(into: buffer, at: offset)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError) {
    files.slow()
    try file.write(bytes, at: offset)
  }

  func synchronize() throws(FileSystemError) {
    files.slow()
    try file.synchronize()
  }

  func truncate(to length: Int64) throws(FileSystemError) {
    files.slow()
    try file.truncate(to: length)
  }

  func preallocate(_ length: Int64) throws(FileSystemError) {
    files.slow()
    try file.preallocate(length)
  }

  func status() throws(FileSystemError) -> FileStatus {
    files.slow()
    return try file.status()
  }

  func setPermissions(_ permissions: UInt16) throws(FileSystemError) {
    files.slow()
    try file.setPermissions(permissions)
  }

  func setModified(_ seconds: Int64) throws(FileSystemError) {
    files.slow()
    try file.setModified(seconds)
  }

  func tryLock() throws(FileSystemError) -> Bool {
    files.slow()
    return try file.tryLock()
  }

  func releaseCache(from start: Int64, to end: Int64) { files.note(start..<end) }

  func close() throws(FileSystemError) {
    files.slow()
    try file.close()
  }
}
