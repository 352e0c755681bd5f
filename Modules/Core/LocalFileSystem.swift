import Glibc

/// The files of this machine, through POSIX.
///
/// Descriptors are never inherited by child processes, offsets have 64 bits, interrupted calls go on, and opening never
/// waits: a FIFO or a device in a file's place fails or is opened at once.
public struct LocalFileSystem: FileSystem {
  /// Makes one; all are alike.
  public init() {}

  /// Opens a file.
  public func open(_ path: String, _ options: FileOpenOptions) throws(FileSystemError) -> any OpenFile {
    LocalFile(try Self.descriptor(path, options.flags, options.contains(.ordinaryMode) ? 0o666 : 0o600), path: path)
  }

  /// What stands at a path; nil when there is nothing, or when what is above it is not a directory.
  public func status(_ path: String) throws(FileSystemError) -> FileStatus? {
    try Self.check(path, "stat")
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw FileSystemError(.current, operation: "stat", path: path)
    }
    let kind: FileStatus.Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      default: .other
      }
    return FileStatus(kind: kind, length: Int64(status.st_size), modified: Int64(status.st_mtim.tv_sec))
  }

  /// Gives a file another name, in place of what stood there.
  public func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    try Self.check(path, "rename")
    try Self.check(newPath, "rename")
    guard Glibc.rename(path, newPath) == 0 else {
      throw FileSystemError(.current, operation: "rename", path: path)
    }
  }

  /// Takes a file's name, or an empty directory, away.
  public func remove(_ path: String) throws(FileSystemError) {
    try Self.check(path, "remove")
    guard Glibc.remove(path) == 0 else { throw FileSystemError(.current, operation: "remove", path: path) }
  }

  /// Bytes that an ordinary user can still write; of the nearest directory above when nothing stands at the path.
  public func availableBytes(_ path: String) throws(FileSystemError) -> Int64 {
    try Self.check(path, "statvfs")
    var space = statvfs()
    var place = path
    while statvfs(place, &space) != 0 {
      guard errno == ENOENT, let above = Self.directory(above: place) else {
        throw FileSystemError(.current, operation: "statvfs", path: path)
      }
      place = above
    }
    let (bytes, overflow) = UInt64(space.f_bavail).multipliedReportingOverflow(by: UInt64(space.f_frsize))
    return overflow ? .max : Int64(clamping: bytes)
  }

  /// The directory a path lies in, as text; nil at the top.
  static func directory(above path: String) -> String? {
    let trimmed = path.utf8.reversed().drop { $0 == UInt8(ascii: "/") }
    guard !trimmed.isEmpty, path != "." else { return nil }
    let above = trimmed.drop { $0 != UInt8(ascii: "/") }.drop { $0 == UInt8(ascii: "/") }
    if !above.isEmpty { return String(decoding: above.reversed(), as: UTF8.self) }
    return path.utf8.first == UInt8(ascii: "/") ? "/" : "."
  }

  /// Refuses what C would read as a shorter path.
  static func check(_ path: String, _ operation: String) throws(FileSystemError) {
    guard !path.utf8.contains(0) else { throw FileSystemError(code: EINVAL, operation: operation, path: path) }
  }

  /// Opens a descriptor that no child process inherits.
  static func descriptor(_ path: String, _ flags: Int32, _ mode: mode_t = 0) throws(FileSystemError) -> Int32 {
    try check(path, "open")
    while true {
      let descriptor = openat(AT_FDCWD, path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, mode)
      if descriptor >= 0 { return descriptor }
      if errno != EINTR { throw FileSystemError(.current, operation: "open", path: path) }
    }
  }
}

extension FileSystem where Self == LocalFileSystem {
  /// The files of this machine.
  public static var local: LocalFileSystem { LocalFileSystem() }
}

extension FileOpenOptions {
  /// The flags of `open(2)`.
  var flags: Int32 {
    var flags = contains(.write) ? (contains(.read) ? O_RDWR : O_WRONLY) : O_RDONLY
    if contains(.create) { flags |= O_CREAT }
    if contains(.exclusive) { flags |= O_EXCL }
    if contains(.truncate) { flags |= O_TRUNC }
    if contains(.noFollow) { flags |= O_NOFOLLOW }
    return flags
  }
}
