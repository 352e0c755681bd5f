import CLinux
public import FoundationEssentials
import Glibc

/// The files of this machine, accessed through POSIX.
///
/// Child processes never inherit descriptors, offsets have 64 bits, and interrupted calls continue. Opening never
/// blocks: a FIFO or a device fails or is opened at once.
public struct LocalFileSystem: FileSystem {
  /// Creates an instance.
  public init() {}

  /// Opens a file.
  public func open(_ path: String, _ options: FileOpenOptions) throws(FileSystemError) -> any OpenFile {
    LocalFile(try Self.descriptor(path, options.flags, options.contains(.ordinaryMode) ? 0o666 : 0o600), path: path)
  }

  /// Returns the status of the file at a path; nil when nothing exists there.
  ///
  /// Also nil when a directory in the path is missing or is not a directory.
  public func status(_ path: String) throws(FileSystemError) -> FileStatus? {
    try Self.status(path, "stat") { stat(path, &$0) }
  }

  /// Returns the status of the file at a path without following a symbolic link.
  public func linkStatus(_ path: String) throws(FileSystemError) -> FileStatus? {
    try Self.status(path, "lstat") { lstat(path, &$0) }
  }

  private static func status(
    _ path: String, _ operation: String, _ call: (inout stat) -> Int32
  ) throws(FileSystemError) -> FileStatus? {
    try check(path, operation)
    var status = stat()
    guard call(&status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw FileSystemError(.current, operation: operation, path: path)
    }
    return FileStatus(status)
  }

  /// Returns the absolute path of an existing file.
  ///
  /// It contains no symbolic links, `.` and `..`.
  public func resolved(_ path: String) throws(FileSystemError) -> String {
    try Self.check(path, "realpath")
    guard let resolved = realpath(path, nil) else {
      throw FileSystemError(.current, operation: "realpath", path: path)
    }
    defer { free(resolved) }
    // Swift would repair bytes that are not UTF-8, and the repaired path would name another file.
    guard let text = String(validatingCString: resolved) else {
      throw FileSystemError(code: EILSEQ, operation: "realpath", path: path)
    }
    return text
  }

  /// Renames a file; uses `renameat2(2)` if it must not replace another one.
  ///
  /// If the kernel or file system does not support `RENAME_NOREPLACE`, the file gets a second name and then loses the
  /// first. A process that is killed in between leaves both names.
  public func rename(_ path: String, to newPath: String, replacing: Bool) throws(FileSystemError) {
    try Self.check(path, "rename")
    try Self.check(newPath, "rename")
    if replacing {
      guard Glibc.rename(path, newPath) == 0 else { throw FileSystemError(.current, operation: "rename", path: path) }
      return
    }
    if HiddenCalls.renameWithoutReplacing(path, newPath) == 0 { return }
    guard [ENOSYS, EINVAL].contains(errno) else { throw FileSystemError(.current, operation: "rename", path: path) }
    try Self.renameByLink(path, to: newPath)
  }

  /// Renames a file by a second link, which fails with `EEXIST` if the name is taken.
  package static func renameByLink(_ path: String, to newPath: String) throws(FileSystemError) {
    guard link(path, newPath) == 0 else { throw FileSystemError(.current, operation: "link", path: path) }
    guard unlink(path) == 0 else { throw FileSystemError(.current, operation: "unlink", path: path) }
  }

  /// Removes a file or an empty directory.
  public func remove(_ path: String) throws(FileSystemError) {
    try Self.check(path, "remove")
    guard Glibc.remove(path) == 0 else { throw FileSystemError(.current, operation: "remove", path: path) }
  }

  /// Returns how many bytes an ordinary user can still write.
  ///
  /// If the path does not exist, its nearest existing parent counts.
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

  /// Returns the parent directory of a path as text; nil at the root.
  static func directory(above path: String) -> String? {
    let trimmed = path.utf8.reversed().drop { $0 == UInt8(ascii: "/") }
    guard !trimmed.isEmpty, path != "." else { return nil }
    let above = trimmed.drop { $0 != UInt8(ascii: "/") }.drop { $0 == UInt8(ascii: "/") }
    if !above.isEmpty { return String(decoding: above.reversed(), as: UTF8.self) }
    return path.utf8.first == UInt8(ascii: "/") ? "/" : "."
  }

  /// Rejects a path with a NUL, at which C would end the path.
  static func check(_ path: String, _ operation: String) throws(FileSystemError) {
    guard !path.utf8.contains(0) else { throw FileSystemError(code: EINVAL, operation: operation, path: path) }
  }

  /// Opens a descriptor that child processes do not inherit.
  static func descriptor(_ path: String, _ flags: Int32, _ mode: mode_t = 0) throws(FileSystemError) -> Int32 {
    try check(path, "open")
    while true {
      let descriptor = openat(AT_FDCWD, path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, mode)
      if descriptor >= 0 { return descriptor }
      if errno != EINTR { throw FileSystemError(.current, operation: "open", path: path) }
    }
  }
}

extension FileStatus {
  /// Creates a status from the result of `stat(2)`.
  init(_ status: stat) {
    let kind: Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      default: .other
      }
    self.init(
      kind: kind, length: Int64(status.st_size), modified: Int64(status.st_mtim.tv_sec),
      modifiedNanoseconds: Int64(status.st_mtim.tv_nsec),
      identity: FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)),
      permissions: UInt16(status.st_mode & 0o777))
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

extension LocalFileSystem {
  /// Creates a directory and its parents, with mode 0777 minus the process's umask.
  ///
  /// Others may create the same directories at the same time.
  ///
  /// - Throws: `FileSystemError` with `EEXIST` when a path component exists and is not a directory.
  public func createDirectory(_ path: String) throws(FileSystemError) {
    try Self.check(path, "mkdir")
    var missing = [path]
    // A file system without directories, such as /proc, reports a missing parent although it exists.
    var isAboveThere = false
    while let next = missing.last {
      if mkdir(next, 0o777) == 0 {
        missing.removeLast()
        isAboveThere = true
        continue
      }
      switch errno {
      case EEXIST:
        guard try status(next)?.kind == .directory else {
          throw FileSystemError(code: EEXIST, operation: "mkdir", path: next)
        }
        missing.removeLast()
        isAboveThere = true
      case ENOENT:
        guard !isAboveThere, missing.count <= Int(PATH_MAX), let above = Self.directory(above: next) else {
          throw FileSystemError(code: ENOENT, operation: "mkdir", path: next)
        }
        missing.append(above)
      default:
        throw FileSystemError(.current, operation: "mkdir", path: next)
      }
    }
  }

  /// Returns the names in a directory in any order, without `.` and `..`.
  ///
  /// Names that are not UTF-8 are omitted.
  public func list(_ path: String) throws(FileSystemError) -> [String] {
    let descriptor = try Self.descriptor(path, O_RDONLY | O_DIRECTORY)
    guard let directory = fdopendir(descriptor) else {
      let error = FileSystemError(.current, operation: "opendir", path: path)
      close(descriptor)
      throw error
    }
    defer { closedir(directory) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let name, name != ".", name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw FileSystemError(.current, operation: "readdir", path: path) }
    return names
  }

  /// Makes names in a directory durable.
  ///
  /// `EINVAL` is not an error here: such a file system cannot synchronize a directory.
  public func synchronizeDirectory(_ path: String) throws(FileSystemError) {
    let descriptor = try Self.descriptor(path, O_RDONLY | O_DIRECTORY)
    defer { close(descriptor) }
    while fsync(descriptor) != 0 {
      switch errno {
      case EINTR: continue
      case EINVAL: return
      default: throw FileSystemError(.current, operation: "fsync", path: path)
      }
    }
  }
}

/// System calls of Linux that Swift's Glibc module does not declare, with their flags.
package enum HiddenCalls {
  /// `FALLOC_FL_KEEP_SIZE`.
  private static let keepSize: Int32 = 1
  /// `RENAME_NOREPLACE`.
  private static let noReplace: UInt32 = 1

  /// Names the calling thread for debuggers and `/proc` (`pthread_setname_np(3)`).
  ///
  /// The name has at most 15 bytes.
  package static func nameThread(_ name: String) { pthread_setname_np(pthread_self(), name) }

  /// Reserves space for a file without changing its length (`fallocate(2)`).
  ///
  /// Returns -1 and sets `errno` on failure.
  ///
  /// `posix_fallocate(3)` is not a substitute: it extends the file, and writes into every block if the file system
  /// cannot reserve space.
  static func reserve(_ descriptor: Int32, _ length: Int64) -> Int32 {
    fallocate(descriptor, keepSize, 0, off_t(length))
  }

  /// Renames a file, but never replaces another one.
  ///
  /// Uses `renameat2(2)` with `RENAME_NOREPLACE`. Returns -1 and sets `errno` on failure.
  static func renameWithoutReplacing(_ path: String, _ newPath: String) -> Int32 {
    renameat2(AT_FDCWD, path, AT_FDCWD, newPath, noReplace)
  }
}

extension FileSystemError: CustomStringConvertible {
  /// Where an error number comes from.
  enum Source { case current }

  /// Creates an error from `errno`.
  init(_ source: Source, operation: String, path: String) {
    self.init(code: errno, operation: operation, path: path)
  }

  /// Whether the disk or the quota is full.
  public var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }

  /// The system's description, such as "No such file or directory".
  public var reason: String { String(cString: strerror(code)) }

  /// A sentence that says what to do; nil if nothing is known.
  public var advice: String? {
    switch code {
    case ENOSPC, EDQUOT: "Free some space, or choose a place on another disk."
    case ENOENT: misreading ?? "Check the path, and that its directory exists."
    case EACCES, EPERM: "Check who may use the file and its directory."
    case EROFS: "Choose a place that can be written."
    case EISDIR: "Give the path of a file."
    case EMFILE, ENFILE: "Raise the limit (ulimit -n), or use fewer files at once."
    default: nil
    }
  }

  /// What to do about a path that others than the system would understand; nil for other paths.
  package var misreading: String? {
    if path.hasPrefix("~") { return "Write the whole path: the shell replaces `~`, and Swift does not." }
    return path.hasPrefix("file:") || path.contains("/file:/") ? "Write the path alone, without `file://`." : nil
  }

  /// A sentence that describes the error, without secrets.
  public var description: String { "\(operation) failed\(path.isEmpty ? "" : " for " + path): \(reason)" }
}

extension FileSystemError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
  /// The advice, which is no part of the description.
  public var recoverySuggestion: String? { advice }
}
