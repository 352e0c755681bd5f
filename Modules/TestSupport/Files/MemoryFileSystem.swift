public import CurlewCore
import Glibc

/// A file system in memory that loses what was not made durable on `crash`.
///
/// It is as unreliable as a disk may be: bytes are durable only after `OpenFile.synchronize`, and names only after
/// `synchronizeDirectory`. There are no links; permissions are stored but not enforced; relative paths start at `/`.
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
    /// All of them are lost.
    case losesUnsynced
    /// Some sectors of unsynced bytes and some unsynced names survive, by a seed.
    case tears(seed: UInt64)
  }

  struct State {
    var directories = MemoryDirectories()
    var inodes: [Int: MemoryInode] = [:]
    var lastInode = 0
    var locks: [Int: ObjectIdentifier] = [:]
    var openCounts: [Int: Int] = [:]
    /// The number of restarts; files opened before the last one are invalid.
    var era = 0
  }

  let state = Guarded(State())
  let capacity: Int64

  /// Creates an empty file system with a root directory.
  ///
  /// - Parameter capacity: The capacity in bytes, 0 or more; beyond it writes fail with `ENOSPC`.
  public init(capacity: Int64 = 64 << 20) { self.capacity = capacity }

  /// Simulates a restart of the machine.
  ///
  /// Open files fail with `EBADF`, and locks are released.
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

  /// The number of open files.
  package var openFiles: Int { state.withLock { $0.openCounts.values.reduce(0, +) } }

  /// Returns the whole content of a file; nil when it does not exist.
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
  /// The bytes of files that have a name or are open.
  var storedBytes: Int64 {
    let named = directories.namedFiles
    return inodes.reduce(0) { sum, entry in
      named.contains(entry.key) || openCounts[entry.key] != nil ? sum + entry.value.storedBytes : sum
    }
  }

  /// Returns the status of a file by its number; nil when it does not exist.
  func status(of number: Int) -> FileStatus? {
    inodes[number].map { inode in
      FileStatus(
        kind: .regular, length: inode.content.length, modified: inode.modified,
        identity: FileIdentity(device: 0, inode: UInt64(number)), permissions: inode.permissions)
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

  /// Drops files without a name, now or after a crash, that are not open.
  mutating func dropUnreachable() {
    let reachable = directories.reachableFiles
    inodes = inodes.filter { reachable.contains($0.key) || openCounts[$0.key] != nil }
  }
}
