public import CurlewCore
public import Glibc

/// A file system whose calls fail when a test says so.
///
/// It wraps another one. Faults are set by hand (`fail`), by space (`fill`), or randomly from a seed (`failRandomly`);
/// `calls` lists the calls, so that a test can make each of them fail in turn:
/// ```swift
/// let files = FailingFileSystem(over: MemoryFileSystem())
/// files.fail(FileFault(.write, call: 3, code: ENOSPC, bytesWritten: 10))
/// files.fail(FileFault(nil, call: 20, lasts: true))   // from the 20th call on nothing works
/// ```
public final class FailingFileSystem: FileSystem {
  /// One call.
  public struct Call: Sendable, Hashable {
    /// The operation.
    public var operation: FileFault.Operation
    /// The path.
    public var path: String
    /// The error it ended with; nil when it was passed on.
    public var code: Int32?
  }

  fileprivate struct Chance {
    var random: SeededRandom
    var rate: Double
    var codes: [Int32]

    /// Returns the error of the next call; nil when it should succeed.
    mutating func draw() -> Int32? {
      Double.random(in: 0..<1, using: &random) < rate ? codes.randomElement(using: &random) ?? EIO : nil
    }

    mutating func part(of count: Int) -> Int { Int.random(in: 0...count, using: &random) }
  }

  fileprivate struct State {
    var faults: [(fault: FileFault, left: Int)] = []
    var room: Int64?
    var chance: Chance?
    var calls: [Call] = []
  }

  fileprivate static let callsKept = 100_000
  private let state = Guarded(State())
  private let files: any FileSystem

  /// Creates a file system that passes all calls on until a fault is set.
  public init(over files: any FileSystem) { self.files = files }

  /// Adds a fault.
  public func fail(_ fault: FileFault) {
    state.withLock { $0.faults.append((fault, max(1, fault.call))) }
  }

  /// Allows this many more bytes to be written, 0 or more.
  ///
  /// The write that exceeds them is cut short with `ENOSPC`.
  public func fill(after bytes: Int64) { state.withLock { $0.room = max(0, bytes) } }

  /// Makes calls fail randomly, reproducibly for a seed.
  ///
  /// - Parameters:
  ///   - seed: Determines which calls fail.
  ///   - rate: The fraction of calls that fail, 0 to 1.
  ///   - codes: The error numbers to choose from.
  public func failRandomly(seed: UInt64, rate: Double, codes: [Int32] = [EIO, ENOSPC]) {
    state.withLock { $0.chance = Chance(random: SeededRandom(seed: seed), rate: rate, codes: codes) }
  }

  /// Removes all faults.
  public func heal() {
    state.withLock { state in
      state.faults = []
      state.room = nil
      state.chance = nil
    }
  }

  /// The calls so far, at most the first 100,000.
  public var calls: [Call] { state.withLock { $0.calls } }

  /// Throws if the call should fail.
  func check(_ operation: FileFault.Operation, _ path: String) throws(FileSystemError) {
    let failure = state.withLock { $0.decide(operation, path, 0).failure }
    if let failure { throw FileSystemError(code: failure, operation: operation.rawValue, path: path) }
  }

  /// Returns how many bytes of a write are passed on, and the error after them.
  func admit(_ count: Int, _ path: String) -> (bytes: Int, failure: FileSystemError?) {
    let (bytes, code) = state.withLock { $0.decide(.write, path, count) }
    return (bytes, code.map { FileSystemError(code: $0, operation: "write", path: path) })
  }

  /// Opens a file of the wrapped file system.
  public func open(_ path: String, _ options: FileOpenOptions) throws(FileSystemError) -> any OpenFile {
    try check(.open, path)
    return FailingFile(try files.open(path, options), self, path: path)
  }

  /// Returns the status of a file of the wrapped file system.
  public func status(_ path: String) throws(FileSystemError) -> FileStatus? {
    try check(.status, path)
    return try files.status(path)
  }

  /// Returns the status of a wrapped file, without following a link.
  public func linkStatus(_ path: String) throws(FileSystemError) -> FileStatus? {
    try check(.linkStatus, path)
    return try files.linkStatus(path)
  }

  /// Returns the resolved path of a file of the wrapped file system.
  public func resolved(_ path: String) throws(FileSystemError) -> String {
    try check(.resolved, path)
    return try files.resolved(path)
  }

  /// Renames a file.
  public func rename(_ path: String, to newPath: String, replacing: Bool) throws(FileSystemError) {
    try check(.rename, path)
    try files.rename(path, to: newPath, replacing: replacing)
  }

  /// Removes a file or an empty directory.
  public func remove(_ path: String) throws(FileSystemError) {
    try check(.remove, path)
    try files.remove(path)
  }

  /// Creates a directory and its parents.
  public func createDirectory(_ path: String) throws(FileSystemError) {
    try check(.createDirectory, path)
    try files.createDirectory(path)
  }

  /// Returns the names in a directory.
  public func list(_ path: String) throws(FileSystemError) -> [String] {
    try check(.list, path)
    return try files.list(path)
  }

  /// Makes names in a directory durable.
  public func synchronizeDirectory(_ path: String) throws(FileSystemError) {
    try check(.synchronizeDirectory, path)
    try files.synchronizeDirectory(path)
  }

  /// Returns the available bytes, or fewer if it should fill up sooner.
  public func availableBytes(_ path: String) throws(FileSystemError) -> Int64 {
    try check(.availableBytes, path)
    let available = try files.availableBytes(path)
    return min(available, state.withLock { $0.room } ?? available)
  }
}

extension FailingFileSystem.State {
  /// Returns how many bytes of a call are passed on, and its error.
  fileprivate mutating func decide(
    _ operation: FileFault.Operation, _ path: String, _ count: Int
  ) -> (bytes: Int, failure: Int32?) {
    var result: (bytes: Int, failure: Int32?) = (count, nil)
    for index in faults.indices where faults[index].fault.fits(operation, path) {
      faults[index].left -= 1
      let fault = faults[index].fault
      guard faults[index].left == 0 || (fault.lasts && faults[index].left < 0) else { continue }
      result = (min(count, max(0, fault.bytesWritten)), fault.code)
    }
    if result.failure == nil, let code = chance?.draw() {
      result.failure = code
      result.bytes = operation == .write ? chance?.part(of: count) ?? 0 : 0
    }
    if operation == .write, let room {
      if Int64(result.bytes) > room { result = (Int(room), ENOSPC) }
      self.room = room - Int64(result.bytes)
    }
    if calls.count < FailingFileSystem.callsKept {
      calls.append(FailingFileSystem.Call(operation: operation, path: path, code: result.failure))
    }
    return result
  }
}
