public import CurlewCore
import Glibc

extension MemoryFileSystem {
  /// Opens a file; `noFollow` and `ordinaryMode` mean nothing here.
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
        state.inodes[state.lastInode] = MemoryInode()
        state.directories.set([(place, .file(state.lastInode))])
        state.openCounts[state.lastInode, default: 0] += 1
        return (state.lastInode, state.era)
      }
    }
    return MemoryFile(self, number, era: era, options, path: path)
  }

  /// What stands at a path; nil when there is nothing. `modified` is always 0.
  public func status(_ path: String) throws(FileSystemError) -> FileStatus? {
    let place = try Self.place(path, "stat")
    return state.withLock { state in
      switch state.directories[place] {
      case .directory: FileStatus(kind: .directory, length: 0, modified: 0)
      case .file(let number):
        FileStatus(kind: .regular, length: state.inodes[number]?.content.length ?? 0, modified: 0)
      case nil: nil
      }
    }
  }

  /// Gives a file or directory another name, in place of the file that stood there.
  public func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    let from = try Self.place(path, "rename")
    let to = try Self.place(newPath, "rename")
    try state.withLock { state throws(FileSystemError) in
      guard let node = state.directories[from] else {
        throw FileSystemError(code: ENOENT, operation: "rename", path: path)
      }
      try state.checkParent(to, "rename", newPath)
      let existing = state.directories[to]
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

  /// Takes a file's name, or an empty directory, away.
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

  /// Makes a directory and those above it.
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

  /// The names in a directory.
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

  /// What is left of the capacity.
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
