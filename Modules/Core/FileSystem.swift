/// The files of the machine, as far as Curlew uses them, so that every fault can be injected.
///
/// Every call may block on the disk: none is made on a transport's thread but `read` and `write`. All calls are safe from
/// any isolation. Paths are absolute or relative to the process's directory; NUL is refused with `EINVAL`.
public protocol FileSystem: Sendable {
  /// Opens a file.
  func open(_ path: String, _ options: FileOpenOptions) throws(FileSystemError) -> any OpenFile
  /// What stands at a path; nil when there is nothing. A symbolic link is followed.
  func status(_ path: String) throws(FileSystemError) -> FileStatus?
  /// Gives a file another name, in place of what stood there (`rename(2)`).
  func rename(_ path: String, to newPath: String) throws(FileSystemError)
  /// Takes a name away; one that is not there is an error (`ENOENT`).
  func remove(_ path: String) throws(FileSystemError)
  /// Makes a directory and those above it; one that is there is left.
  func createDirectory(_ path: String) throws(FileSystemError)
  /// The names in a directory, without `.` and `..`, in no order; names that are not UTF-8 are left out.
  func list(_ path: String) throws(FileSystemError) -> [String]
  /// Makes names in a directory durable (`fsync` of the directory).
  func synchronizeDirectory(_ path: String) throws(FileSystemError)
  /// Bytes that can still be written where the path is, or would be.
  func availableBytes(_ path: String) throws(FileSystemError) -> Int64
}

/// An open file. Closed when the last reference goes, or by `close`.
public protocol OpenFile: AnyObject, Sendable {
  /// Reads at an offset; returns fewer bytes only at the end, 0 there.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileSystemError) -> Int
  /// Writes all bytes at an offset.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError)
  /// Makes what was written durable (`fdatasync`).
  func synchronize() throws(FileSystemError)
  /// Cuts the file, or fills it with zeros, to a length.
  func truncate(to length: Int64) throws(FileSystemError)
  /// Claims space without changing the length; a file system that cannot is no error, a full one is (`ENOSPC`).
  func preallocate(_ length: Int64) throws(FileSystemError)
  /// The length in bytes.
  func length() throws(FileSystemError) -> Int64
  /// Takes the advisory lock, held until the file is closed; false when another open file has it (`flock(2)`).
  func tryLock() throws(FileSystemError) -> Bool
  /// Closes it; what fails late is reported here. Later calls fail with `EBADF`.
  func close() throws(FileSystemError)
}

/// How a file is opened.
public struct FileOpenOptions: OptionSet, Sendable, Hashable {
  /// The value that stands for it.
  public let rawValue: UInt8
  /// Makes one of the value that stands for it.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// May be read.
  public static let read = FileOpenOptions(rawValue: 1)
  /// May be written.
  public static let write = FileOpenOptions(rawValue: 2)
  /// Is made, with mode 0600, when it is not there.
  public static let create = FileOpenOptions(rawValue: 4)
  /// Must not be there.
  public static let exclusive = FileOpenOptions(rawValue: 8)
  /// Loses what it held.
  public static let truncate = FileOpenOptions(rawValue: 16)
  /// Must not be a symbolic link.
  public static let noFollow = FileOpenOptions(rawValue: 32)
  /// With `create`: mode 0666 less the process's mask, as other programs make files.
  public static let ordinaryMode = FileOpenOptions(rawValue: 64)
}

/// What stands at a path.
public struct FileStatus: Sendable, Hashable {
  /// Kinds of file.
  public enum Kind: Sendable, Hashable {
    /// A regular file.
    case regular
    /// A directory.
    case directory
    /// Anything else.
    case other
  }
  /// What it is.
  public var kind: Kind
  /// Its length in bytes.
  public var length: Int64
  /// Seconds since 1970 of its last change.
  public var modified: Int64

  /// Makes a status.
  public init(kind: Kind, length: Int64, modified: Int64) {
    self.kind = kind
    self.length = length
    self.modified = modified
  }
}

/// A call to the file system that failed.
public struct FileSystemError: Error, Sendable, Hashable {
  /// The system's number (`errno`).
  public var code: Int32
  /// The call.
  public var operation: String
  /// On which path; empty when only the open file is known.
  public var path: String

  /// Makes an error.
  public init(code: Int32, operation: String, path: String) {
    self.code = code
    self.operation = operation
    self.path = path
  }
}
