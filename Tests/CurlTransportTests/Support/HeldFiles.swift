import CurlewCore
import CurlewTestSupport
import Glibc

/// The system's files behind a disk that does not answer until it is let go.
final class HeldFiles: FileSystem {
  /// The call that does not return.
  enum Call: Sendable { case open, read }

  private let files = LocalFileSystem()
  private let held: Call
  private let isLetGo = Guarded(false)
  /// Opens when the call is under way.
  let reached = ManualGate()

  init(holding call: Call) { held = call }

  deinit { letGo() }

  func letGo() { isLetGo.withLock { $0 = true } }

  fileprivate func hold(_ call: Call) {
    guard call == held else { return }
    reached.open()
    // Sleeps because that is what the thread does that waits for a disk.
    while !isLetGo.withLock({ $0 }) { usleep(1_000) }
  }

  func open(_ path: String, _ options: FileOpenOptions) throws(FileSystemError) -> any OpenFile {
    hold(.open)
    return HeldFile(try files.open(path, options), self)
  }

  func status(_ path: String) throws(FileSystemError) -> FileStatus? { try files.status(path) }
  func linkStatus(_ path: String) throws(FileSystemError) -> FileStatus? { try files.linkStatus(path) }
  func resolved(_ path: String) throws(FileSystemError) -> String { try files.resolved(path) }
  func rename(_ path: String, to newPath: String, replacing: Bool) throws(FileSystemError) {
    try files.rename(path, to: newPath, replacing: replacing)
  }
  func remove(_ path: String) throws(FileSystemError) { try files.remove(path) }
  func createDirectory(_ path: String) throws(FileSystemError) { try files.createDirectory(path) }
  func list(_ path: String) throws(FileSystemError) -> [String] { try files.list(path) }
  func synchronizeDirectory(_ path: String) throws(FileSystemError) { try files.synchronizeDirectory(path) }
  func availableBytes(_ path: String) throws(FileSystemError) -> Int64 { try files.availableBytes(path) }
}

private final class HeldFile: OpenFile {
  private let file: any OpenFile
  private let files: HeldFiles

  init(_ file: any OpenFile, _ files: HeldFiles) {
    self.file = file
    self.files = files
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileSystemError) -> Int {
    files.hold(.read)
    return try file.read(into: buffer, at: offset)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError) {
    try file.write(bytes, at: offset)
  }
  func synchronize() throws(FileSystemError) { try file.synchronize() }
  func truncate(to length: Int64) throws(FileSystemError) { try file.truncate(to: length) }
  func preallocate(_ length: Int64) throws(FileSystemError) { try file.preallocate(length) }
  func status() throws(FileSystemError) -> FileStatus { try file.status() }
  func setPermissions(_ permissions: UInt16) throws(FileSystemError) { try file.setPermissions(permissions) }
  func setModified(_ seconds: Int64) throws(FileSystemError) { try file.setModified(seconds) }
  func tryLock() throws(FileSystemError) -> Bool { try file.tryLock() }
  func close() throws(FileSystemError) { try file.close() }
}
