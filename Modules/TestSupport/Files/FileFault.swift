public import Glibc

/// One thing that goes wrong in a `FailingFileSystem`.
public struct FileFault: Sendable, Hashable {
  /// The calls of `FileSystem` and `OpenFile`.
  public enum Operation: String, Sendable, Hashable, CaseIterable {
    /// `FileSystem.open`.
    case open
    /// `FileSystem.status`.
    case status
    /// `FileSystem.rename`.
    case rename
    /// `FileSystem.remove`.
    case remove
    /// `FileSystem.createDirectory`.
    case createDirectory
    /// `FileSystem.list`.
    case list
    /// `FileSystem.synchronizeDirectory`.
    case synchronizeDirectory
    /// `FileSystem.availableBytes`.
    case availableBytes
    /// `OpenFile.read`.
    case read
    /// `OpenFile.write`.
    case write
    /// `OpenFile.synchronize`.
    case synchronize
    /// `OpenFile.truncate`.
    case truncate
    /// `OpenFile.preallocate`.
    case preallocate
    /// `OpenFile.length`.
    case length
    /// `OpenFile.tryLock`.
    case lock
    /// `OpenFile.close`.
    case close
  }

  /// Which call fails; nil is every one.
  public var operation: Operation?
  /// Only calls on paths that end so; nil is every path.
  public var pathSuffix: String?
  /// Which of the calls that fit, from when the fault was set, 1….
  public var call: Int
  /// Whether all calls after that one fail too.
  public var lasts: Bool
  /// The error number, such as `EIO`.
  public var code: Int32
  /// How many bytes a failing write still writes, 0….
  public var bytesWritten: Int

  /// Makes a fault.
  public init(
    _ operation: Operation?, call: Int = 1, code: Int32 = EIO, lasts: Bool = false, pathSuffix: String? = nil,
    bytesWritten: Int = 0
  ) {
    self.operation = operation
    self.pathSuffix = pathSuffix
    self.call = call
    self.lasts = lasts
    self.code = code
    self.bytesWritten = bytesWritten
  }

  func fits(_ operation: Operation, _ path: String) -> Bool {
    (self.operation == nil || self.operation == operation) && pathSuffix.map { path.hasSuffix($0) } ?? true
  }
}
