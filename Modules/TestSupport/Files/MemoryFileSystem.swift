public import CurlewCore
import Glibc

/// Files in memory that lose, on `crash`, what was not made durable.
///
/// It is as unkind as a disk may be: bytes are durable after `OpenFile.synchronize`, names after `synchronizeDirectory`,
/// and not before. There are no links and no permissions; relative paths are taken from `/`.
///
/// ```swift
/// let files = MemoryFileSystem()
/// try save(report, in: files)
/// files.crash()
/// #expect(try load(from: files) == report)
/// ```
public final class MemoryFileSystem: FileSystem {
  /// What happens to changes that were not made durable.
  public enum CrashOutcome: Sendable, Hashable {
    /// All are lost.
    case losesUnsynced
    /// Sectors of unsynced bytes survive or not, and unsynced names as far as some point, as the seed says.
    case tears(seed: UInt64)
  }

  struct State {
    var directories = MemoryDirectories()
    var inodes: [Int: MemoryInode] = [:]
    var lastInode = 0
    var locks: [Int: ObjectIdentifier] = [:]
    var openCounts: [Int: Int] = [:]
    /// Which start of the machine this is: files opened in an earlier one are gone.
    var era = 0
  }

  let state = Guarded(State())
  let capacity: Int64

  /// Makes an empty file system with a root directory.
  ///
  /// - Parameter capacity: How many bytes fit, 0…; one more is `ENOSPC`.
  public init(capacity: Int64 = 64 << 20) { self.capacity = capacity }

  /// The machine stops and starts again: open files fail with `EBADF`, locks are gone.
  public func crash(_ outcome: CrashOutcome = .losesUnsynced) {
    state.withLock { state in
      state.era += 1
      state.locks = [:]
      state.openCounts = [:]
      switch outcome {
      case .losesUnsynced:
        state.directories.crash { _ in 0 }
        for number in state.inodes.keys { state.inodes[number]?.loseUnsynced() }
      case .tears(let seed):
        var random = SeededRandom(seed: seed)
        state.directories.crash { Int.random(in: 0...$0, using: &random) }
        for number in state.inodes.keys.sorted() { state.inodes[number]?.tear(&random) }
      }
      state.dropUnreachable()
    }
  }

  /// How many files are open.
  public var openFiles: Int { state.withLock { $0.openCounts.values.reduce(0, +) } }

  /// The whole content of a file, nil when there is none.
  public func contents(of path: String) -> [UInt8]? {
    let path = MemoryDirectories.canonical(path)
    return state.withLock { state in
      guard case .file(let number) = state.directories[path], let content = state.inodes[number]?.content else {
        return nil
      }
      return content.read(Int(clamping: content.length), at: 0)
    }
  }
}

extension MemoryFileSystem.State {
  /// Bytes of files that have a name or are open.
  var storedBytes: Int64 {
    let named = directories.namedFiles
    return inodes.reduce(0) { sum, entry in
      named.contains(entry.key) || openCounts[entry.key] != nil ? sum + entry.value.storedBytes : sum
    }
  }

  func checkDirectory(_ place: String, _ operation: String, _ path: String) throws(FileSystemError) {
    switch directories[place] {
    case .directory: return
    case .file: throw FileSystemError(code: ENOTDIR, operation: operation, path: path)
    case nil: throw FileSystemError(code: ENOENT, operation: operation, path: path)
    }
  }

  func checkParent(_ place: String, _ operation: String, _ path: String) throws(FileSystemError) {
    try checkDirectory(MemoryDirectories.parent(place), operation, path)
  }

  /// Drops the files that no name, not even one that a crash brings back, and no open file leads to.
  mutating func dropUnreachable() {
    let reachable = directories.reachableFiles
    inodes = inodes.filter { reachable.contains($0.key) || openCounts[$0.key] != nil }
  }
}
