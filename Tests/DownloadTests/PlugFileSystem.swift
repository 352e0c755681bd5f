import CurlewCore
import CurlewTestSupport
import Glibc

/// A machine whose plug is pulled after some calls to its file system: all later ones fail, and what was not made durable is
/// torn.
final class PlugFileSystem: FileSystem {
  private struct State {
    var left = Int.max
    var calls = 0
    var isOut = false
    var starts = 0
    var random: SeededRandom
  }

  private let memory: MemoryFileSystem
  private let state: Guarded<State>

  init(_ memory: MemoryFileSystem, seed: UInt64) {
    self.memory = memory
    state = Guarded(State(random: SeededRandom(seed: seed ^ 0xABCD)))
  }

  var isOut: Bool { state.withLock { $0.isOut } }
  var starts: Int { state.withLock { $0.starts } }
  /// How many calls were made while there was power.
  var calls: Int { state.withLock { $0.calls } }

  func pull(after calls: Int) { state.withLock { $0.left = calls } }

  /// Starts the machine again.
  func restore() {
    state.withLock { state in
      state.isOut = false
      state.left = .max
      state.starts += 1
    }
  }

  fileprivate func check() throws(FileSystemError) {
    let (isOut, seed) = state.withLock { state -> (Bool, UInt64?) in
      if state.isOut { return (true, nil) }
      state.calls += 1
      state.left -= 1
      guard state.left <= 0 else { return (false, nil) }
      state.isOut = true
      return (true, UInt64.random(in: .min ... .max, using: &state.random))
    }
    if let seed { memory.crash(.tears(seed: seed)) }
    if isOut { throw FileSystemError(code: EIO, operation: "anything", path: "") }
  }

  func open(_ path: String, _ options: FileOpenOptions) throws(FileSystemError) -> any OpenFile {
    try check()
    return PlugFile(try memory.open(path, options), self)
  }

  func status(_ path: String) throws(FileSystemError) -> FileStatus? {
    try check()
    return try memory.status(path)
  }

  func linkStatus(_ path: String) throws(FileSystemError) -> FileStatus? {
    try check()
    return try memory.linkStatus(path)
  }

  func resolved(_ path: String) throws(FileSystemError) -> String {
    try check()
    return try memory.resolved(path)
  }

  func rename(_ path: String, to newPath: String, replacing: Bool) throws(FileSystemError) {
    try check()
    try memory.rename(path, to: newPath, replacing: replacing)
  }

  func remove(_ path: String) throws(FileSystemError) {
    try check()
    try memory.remove(path)
  }

  func createDirectory(_ path: String) throws(FileSystemError) {
    try check()
    try memory.createDirectory(path)
  }

  func list(_ path: String) throws(FileSystemError) -> [String] {
    try check()
    return try memory.list(path)
  }

  func synchronizeDirectory(_ path: String) throws(FileSystemError) {
    try check()
    try memory.synchronizeDirectory(path)
  }

  func availableBytes(_ path: String) throws(FileSystemError) -> Int64 {
    try check()
    return try memory.availableBytes(path)
  }
}

private final class PlugFile: OpenFile {
  private let file: any OpenFile
  private let plug: PlugFileSystem

  init(_ file: any OpenFile, _ plug: PlugFileSystem) {
    self.file = file
    self.plug = plug
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileSystemError) -> Int {
    try plug.check()
    return try file.read(into: buffer, at: offset)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError) {
    try plug.check()
    try file.write(bytes, at: offset)
  }

  func synchronize() throws(FileSystemError) {
    try plug.check()
    try file.synchronize()
  }

  func truncate(to length: Int64) throws(FileSystemError) {
    try plug.check()
    try file.truncate(to: length)
  }

  func preallocate(_ length: Int64) throws(FileSystemError) {
    try plug.check()
    try file.preallocate(length)
  }

  func status() throws(FileSystemError) -> FileStatus {
    try plug.check()
    return try file.status()
  }

  func setPermissions(_ permissions: UInt16) throws(FileSystemError) {
    try plug.check()
    try file.setPermissions(permissions)
  }

  func setModified(_ seconds: Int64) throws(FileSystemError) {
    try plug.check()
    try file.setModified(seconds)
  }

  func tryLock() throws(FileSystemError) -> Bool {
    try plug.check()
    return try file.tryLock()
  }

  func close() throws(FileSystemError) { try file.close() }
}
