/// The file operations that Curlew uses.
///
/// The protocol allows tests to inject every fault.
///
/// Every call may block on the disk: on a transport's thread Curlew only makes `read` and `write` calls. All calls are
/// safe from any isolation. Paths are absolute, or relative to the process's working directory; a path with a NUL fails
/// with `EINVAL`.
public protocol FileSystem: Sendable {
  /// Opens a file.
  func open(_ path: String, _ options: FileOpenOptions) throws(FileSystemError) -> any OpenFile
  /// Returns the status of the file at a path; nil when nothing exists there.
  ///
  /// A symbolic link is followed; the result is nil if its target does not exist.
  func status(_ path: String) throws(FileSystemError) -> FileStatus?
  /// Returns the status of the file at a path without following a symbolic link.
  ///
  /// Links in the directories above are followed. Nil when nothing exists at the path.
  func linkStatus(_ path: String) throws(FileSystemError) -> FileStatus?
  /// Returns the absolute path of an existing file (`realpath(3)`).
  ///
  /// It contains no symbolic links, `.` and `..`.
  ///
  /// Fails with `ENOENT` when nothing exists at the path or at a link's target, and with `ELOOP` for circular links.
  func resolved(_ path: String) throws(FileSystemError) -> String
  /// Renames a file in one atomic step.
  ///
  /// - Parameter replacing: Whether to replace a file with the new name. If false, the call fails with `EEXIST` if the
  ///   new name is taken, even by a symbolic link; of several concurrent callers exactly one succeeds.
  func rename(_ path: String, to newPath: String, replacing: Bool) throws(FileSystemError)
  /// Removes a file or an empty directory.
  ///
  /// Fails with `ENOENT` when nothing exists at the path.
  func remove(_ path: String) throws(FileSystemError)
  /// Creates a directory and its parents; succeeds if it already exists.
  func createDirectory(_ path: String) throws(FileSystemError)
  /// Returns the names in a directory in any order, without `.` and `..`.
  ///
  /// Names that are not UTF-8 are omitted.
  func list(_ path: String) throws(FileSystemError) -> [String]
  /// Makes the names in a directory durable (`fsync` of the directory).
  func synchronizeDirectory(_ path: String) throws(FileSystemError)
  /// Returns how many bytes can still be written at a path.
  func availableBytes(_ path: String) throws(FileSystemError) -> Int64
}

extension FileSystem {
  /// Renames a file and replaces an existing one (`rename(2)`).
  public func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    try rename(path, to: newPath, replacing: true)
  }
}

/// An open file, which `close` or the release of the last reference closes.
public protocol OpenFile: AnyObject, Sendable {
  /// Reads at an offset; returns fewer bytes only at the end, where it returns 0.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileSystemError) -> Int
  /// Writes all bytes at an offset.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError)
  /// Makes the bytes written so far durable (`fdatasync`).
  func synchronize() throws(FileSystemError)
  /// Truncates the file to a length, or extends it with zeros.
  func truncate(to length: Int64) throws(FileSystemError)
  /// Reserves space without changing the length.
  ///
  /// Fails with `ENOSPC` when the disk is full; does nothing if the file system cannot reserve space.
  func preallocate(_ length: Int64) throws(FileSystemError)
  /// Returns the status of the open file (`fstat(2)`).
  ///
  /// It works even after the file's name was removed.
  func status() throws(FileSystemError) -> FileStatus
  /// Sets the nine permission bits (`fchmod(2)`).
  func setPermissions(_ permissions: UInt16) throws(FileSystemError)
  /// Sets when the content was last changed, in seconds since 1970 (`futimens(2)`).
  func setModified(_ seconds: Int64) throws(FileSystemError)
  /// Takes the advisory lock until the file is closed (`flock(2)`).
  ///
  /// - Returns: False when another open file holds it.
  func tryLock() throws(FileSystemError) -> Bool
  /// Advises the system to remove durable bytes from its cache (`posix_fadvise(2)`, `POSIX_FADV_DONTNEED`).
  ///
  /// The default implementation does nothing.
  func releaseCache(from start: Int64, to end: Int64)
  /// Closes the file and reports a delayed write error.
  ///
  /// Later calls fail with `EBADF`.
  func close() throws(FileSystemError)
}

extension OpenFile {
  /// Returns the length in bytes.
  public func length() throws(FileSystemError) -> Int64 { try status().length }

  /// Does nothing.
  public func releaseCache(from start: Int64, to end: Int64) {}
}

/// How a file is opened.
public struct FileOpenOptions: OptionSet, Sendable, Hashable {
  /// The raw value of the options.
  public let rawValue: UInt8
  /// Creates options from a raw value.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Open for reading.
  public static let read = FileOpenOptions(rawValue: 1)
  /// Open for writing.
  public static let write = FileOpenOptions(rawValue: 2)
  /// Create the file with mode 0600 if it does not exist.
  public static let create = FileOpenOptions(rawValue: 4)
  /// With `create`: fail if the file exists.
  public static let exclusive = FileOpenOptions(rawValue: 8)
  /// Remove the existing content.
  public static let truncate = FileOpenOptions(rawValue: 16)
  /// Fail if the path is a symbolic link.
  public static let noFollow = FileOpenOptions(rawValue: 32)
  /// With `create`: use mode 0666 minus the process's umask.
  public static let ordinaryMode = FileOpenOptions(rawValue: 64)
}

/// A failed call of the file system.
public struct FileSystemError: Error, Sendable, Hashable {
  /// The system's error number (`errno`).
  public var code: Int32
  /// The name of the call.
  public var operation: String
  /// The path; empty when only the open file is known.
  public var path: String

  /// Creates an error.
  public init(code: Int32, operation: String, path: String) {
    self.code = code
    self.operation = operation
    self.path = path
  }
}

/// The properties of a file.
public struct FileStatus: Sendable, Hashable {
  /// The kinds of files.
  public enum Kind: Sendable, Hashable {
    /// A regular file.
    case regular
    /// A directory.
    case directory
    /// A symbolic link; only `FileSystem.linkStatus` reports it.
    case symbolicLink
    /// A pipe, a socket or a device.
    case other
  }

  /// The kind of file.
  public var kind: Kind
  /// The length in bytes.
  public var length: Int64
  /// When the content was last changed, in seconds since 1970.
  public var modified: Int64
  /// The nanoseconds of that time within its second, 0 to 999,999,999.
  ///
  /// Some file systems store whole seconds or steps of milliseconds.
  public var modifiedNanoseconds: Int64
  /// Identifies the file independently of its name.
  public var identity: FileIdentity
  /// The nine permission bits of `chmod(2)`.
  public var permissions: UInt16

  /// Creates a status.
  public init(
    kind: Kind, length: Int64, modified: Int64, modifiedNanoseconds: Int64 = 0, identity: FileIdentity,
    permissions: UInt16 = 0o600
  ) {
    self.kind = kind
    self.length = length
    self.modified = modified
    self.modifiedNanoseconds = modifiedNanoseconds
    self.identity = identity
    self.permissions = permissions
  }
}

/// Identifies a file by its device and inode (`stat(2)`).
///
/// Names with equal identities lead to the same file. A removed file keeps its identity while it is open; afterwards
/// the system may reuse it for a new file.
public struct FileIdentity: Sendable, Hashable, Codable {
  /// The device that holds the file.
  public var device: UInt64
  /// The number of the file on its device.
  public var inode: UInt64

  /// Creates an identity.
  public init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}
