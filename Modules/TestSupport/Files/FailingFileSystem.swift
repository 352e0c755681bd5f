public import CurlewCore
public import Glibc

/// A file system whose calls fail when a test says so.
///
/// It stands in front of another one. Faults are set by hand (`fail`), by space (`fill`), or by chance from a seed
/// (`failRandomly`); `calls` tells what was asked, so that a test can fail each call in turn:
/// ```swift
/// let files = FailingFileSystem(over: MemoryFileSystem())
/// files.fail(FileFault(.write, call: 3, code: ENOSPC, bytesWritten: 10))
/// files.fail(FileFault(nil, call: 20, lasts: true))   // from the 20th call on nothing works
/// ```
public final class FailingFileSystem: FileSystem {
  /// One call that was made.
  public struct Call: Sendable, Hashable {
    /// Which.
    public var operation: FileFault.Operation
    /// On which path.
    public var path: String
    /// The error it was made to end with; nil when it was let through.
    public var code: Int32?
  }

  fileprivate struct Chance {
    var random: SeededRandom
    var rate: Double
    var codes: [Int32]

    /// The error of the next call; nil when it succeeds.
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

  /// Stands in front of `files`, and lets everything through until a fault is set.
  public init(over files: any FileSystem) { self.files = files }

  /// Adds a fault.
  public func fail(_ fault: FileFault) {
    state.withLock { $0.faults.append((fault, max(1, fault.call))) }
  }

  /// Lets so many more bytes be written, 0…; the write that passes them is cut short with `ENOSPC`.
  public func fill(after bytes: Int64) { state.withLock { $0.room = max(0, bytes) } }

  /// Makes calls fail by chance, the same ones for the same seed and the same calls.
  ///
  /// - Parameters:
  ///   - seed: Decides which calls.
  ///   - rate: The part of all calls that fail, 0…1.
  ///   - codes: The error numbers to choose from.
  public func failRandomly(seed: UInt64, rate: Double, codes: [Int32] = [EIO, ENOSPC]) {
    state.withLock { $0.chance = Chance(random: SeededRandom(seed: seed), rate: rate, codes: codes) }
  }

  /// Takes all faults away.
  public func heal() {
    state.withLock { state in
      state.faults = []
      state.room = nil
      state.chance = nil
    }
  }

  /// The calls so far, the first 100,000 at most.
  public var calls: [Call] { state.withLock { $0.calls } }

  /// Throws when the call is to fail.
  func check(_ operation: FileFault.Operation, _ path: String) throws(FileSystemError) {
    let failure = state.withLock { $0.decide(operation, path, 0).failure }
    if let failure { throw FileSystemError(code: failure, operation: operation.rawValue, path: path) }
  }

  /// How many bytes of a write go through, and the error that follows them.
  func admit(_ count: Int, _ path: String) -> (bytes: Int, failure: FileSystemError?) {
    let (bytes, code) = state.withLock { $0.decide(.write, path, count) }
    return (bytes, code.map { FileSystemError(code: $0, operation: "write", path: path) })
  }

  /// Opens a file of the file system behind.
  public func open(_ path: String, _ options: FileOpenOptions) throws(FileSystemError) -> any OpenFile {
    try check(.open, path)
    return FailingFile(try files.open(path, options), self, path: path)
  }

  /// What stands at a path of the file system behind.
  public func status(_ path: String) throws(FileSystemError) -> FileStatus? {
    try check(.status, path)
    return try files.status(path)
  }

  /// Gives a file another name.
  public func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    try check(.rename, path)
    try files.rename(path, to: newPath)
  }

  /// Takes a name away.
  public func remove(_ path: String) throws(FileSystemError) {
    try check(.remove, path)
    try files.remove(path)
  }

  /// Makes a directory and those above it.
  public func createDirectory(_ path: String) throws(FileSystemError) {
    try check(.createDirectory, path)
    try files.createDirectory(path)
  }

  /// The names in a directory.
  public func list(_ path: String) throws(FileSystemError) -> [String] {
    try check(.list, path)
    return try files.list(path)
  }

  /// Makes names in a directory durable.
  public func synchronizeDirectory(_ path: String) throws(FileSystemError) {
    try check(.synchronizeDirectory, path)
    try files.synchronizeDirectory(path)
  }

  /// What the file system behind has left, or less when it is to fill up sooner.
  public func availableBytes(_ path: String) throws(FileSystemError) -> Int64 {
    try check(.availableBytes, path)
    let available = try files.availableBytes(path)
    return min(available, state.withLock { $0.room } ?? available)
  }
}

extension FailingFileSystem.State {
  /// What happens to a call: how many of its bytes go through, and the error it ends with.
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
