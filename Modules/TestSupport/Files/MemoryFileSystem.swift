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

extension MemoryFileSystem {
  /// Opens a file; `noFollow` has no effect, because there are no links.
  public func open(_ path: String, _ options: FileOpenOptions) throws(FileSystemError) -> any OpenFile {
    let place = try Self.place(path, "open")
    let (number, era) = try state.withLock { state throws(FileSystemError) in
      switch state.directories[place] {
      case .directory:
        throw FileSystemError(code: EISDIR, operation: "open", path: path)
      case .file(let number):
        if options.contains(.exclusive), options.contains(.create) {
          throw FileSystemError(code: EEXIST, operation: "open", path: path)
        }
        if options.contains(.truncate) { state.inodes[number]?.truncate(to: 0, keeping: capacity) }
        state.openCounts[number, default: 0] += 1
        return (number, state.era)
      case nil:
        guard options.contains(.create) else { throw FileSystemError(code: ENOENT, operation: "open", path: path) }
        try state.checkParent(place, "open", path)
        state.lastInode += 1
        state.inodes[state.lastInode] = MemoryInode(permissions: options.contains(.ordinaryMode) ? 0o644 : 0o600)
        state.directories.set([(place, .file(state.lastInode))])
        state.openCounts[state.lastInode, default: 0] += 1
        return (state.lastInode, state.era)
      }
    }
    return MemoryFile(self, number, era: era, options, path: path)
  }

  /// Returns the status of the file at a path; nil when nothing exists there.
  ///
  /// `modified` is 0 until it is set.
  public func status(_ path: String) throws(FileSystemError) -> FileStatus? {
    let place = try Self.place(path, "stat")
    return state.withLock { state in
      switch state.directories[place] {
      case .directory:
        FileStatus(
          kind: .directory, length: 0, modified: 0,
          identity: FileIdentity(device: 0, inode: UInt64(UInt(bitPattern: place.hashValue))), permissions: 0o755)
      case .file(let number): state.status(of: number)
      case nil: nil
      }
    }
  }

  /// Returns the same as `status`, because there are no links.
  public func linkStatus(_ path: String) throws(FileSystemError) -> FileStatus? { try status(path) }

  /// Returns the absolute path of an existing file, without `.` and `..`.
  public func resolved(_ path: String) throws(FileSystemError) -> String {
    let place = try Self.place(path, "realpath")
    return try state.withLock { state throws(FileSystemError) in
      guard state.directories[place] != nil else {
        throw FileSystemError(code: ENOENT, operation: "realpath", path: path)
      }
      return place
    }
  }

  /// Renames a file or directory.
  public func rename(_ path: String, to newPath: String, replacing: Bool) throws(FileSystemError) {
    let from = try Self.place(path, "rename")
    let to = try Self.place(newPath, "rename")
    try state.withLock { state throws(FileSystemError) in
      guard let node = state.directories[from] else {
        throw FileSystemError(code: ENOENT, operation: "rename", path: path)
      }
      try state.checkParent(to, "rename", newPath)
      let existing = state.directories[to]
      guard replacing || existing == nil else {
        throw FileSystemError(code: EEXIST, operation: "rename", path: newPath)
      }
      guard existing != .directory || (node == .directory && !state.directories.hasChildren(to)) else {
        throw FileSystemError(code: node == .directory ? ENOTEMPTY : EISDIR, operation: "rename", path: newPath)
      }
      guard node != .directory || !(to + "/").hasPrefix(from + "/") || from == to else {
        throw FileSystemError(code: EINVAL, operation: "rename", path: newPath)
      }
      guard from != to else { return }
      var names: [(path: String, node: MemoryDirectories.Node?)] = [(from, nil), (to, node)]
      for (inside, child) in state.directories.nodes where inside.hasPrefix(from + "/") {
        names += [(inside, nil), (to + inside.dropFirst(from.count), child)]
      }
      state.directories.set(names)
    }
  }

  /// Removes a file or an empty directory.
  public func remove(_ path: String) throws(FileSystemError) {
    let place = try Self.place(path, "remove")
    try state.withLock { state throws(FileSystemError) in
      guard state.directories[place] != nil else {
        throw FileSystemError(code: ENOENT, operation: "remove", path: path)
      }
      guard place != "/", !state.directories.hasChildren(place) else {
        throw FileSystemError(code: ENOTEMPTY, operation: "remove", path: path)
      }
      state.directories.set([(place, nil)])
    }
  }

  /// Creates a directory and its parents.
  public func createDirectory(_ path: String) throws(FileSystemError) {
    let place = try Self.place(path, "mkdir")
    try state.withLock { state throws(FileSystemError) in
      var made = ""
      for part in place.split(separator: "/") {
        made += "/" + part
        switch state.directories[made] {
        case .directory: continue
        case .file: throw FileSystemError(code: EEXIST, operation: "mkdir", path: made)
        case nil: state.directories.set([(made, .directory)])
        }
      }
    }
  }

  /// Returns the names in a directory.
  public func list(_ path: String) throws(FileSystemError) -> [String] {
    let place = try Self.place(path, "list")
    return try state.withLock { state throws(FileSystemError) in
      try state.checkDirectory(place, "list", path)
      return state.directories.children(place)
    }
  }

  /// Makes names in a directory durable.
  public func synchronizeDirectory(_ path: String) throws(FileSystemError) {
    let place = try Self.place(path, "fsync")
    try state.withLock { state throws(FileSystemError) in
      try state.checkDirectory(place, "fsync", path)
      state.directories.synchronize(place)
      state.dropUnreachable()
    }
  }

  /// Returns the remaining capacity.
  public func availableBytes(_ path: String) throws(FileSystemError) -> Int64 {
    _ = try Self.place(path, "statvfs")
    return state.withLock { max(0, capacity - $0.storedBytes) }
  }

  private static func place(_ path: String, _ operation: String) throws(FileSystemError) -> String {
    guard !path.utf8.contains(0) else { throw FileSystemError(code: EINVAL, operation: operation, path: path) }
    guard !path.isEmpty else { throw FileSystemError(code: ENOENT, operation: operation, path: path) }
    return MemoryDirectories.canonical(path)
  }
}
