public import CurlewCore
import Glibc

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
