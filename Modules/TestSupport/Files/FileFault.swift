public import Glibc

/// One fault of a `FailingFileSystem`.
public struct FileFault: Sendable, Hashable {
  /// The calls of `FileSystem` and `OpenFile`.
  public enum Operation: String, Sendable, Hashable, CaseIterable {
    /// `FileSystem.open`.
    case open
    /// `FileSystem.status`.
    case status
    /// `FileSystem.linkStatus`.
    case linkStatus
    /// `FileSystem.resolved`.
    case resolved
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
    /// `OpenFile.status`, which `OpenFile.length` calls.
    case openStatus
    /// `OpenFile.setPermissions`.
    case setPermissions
    /// `OpenFile.setModified`.
    case setModified
    /// `OpenFile.tryLock`.
    case lock
    /// `OpenFile.close`.
    case close
  }

  /// The operation that fails; nil means every one.
  public var operation: Operation?
  /// Only paths with this ending; nil means every path.
  public var pathSuffix: String?
  /// The number of the matching call, counted from setting the fault, from 1.
  public var call: Int
  /// Whether all later calls fail, too.
  public var lasts: Bool
  /// The error number, such as `EIO`.
  public var code: Int32
  /// How many bytes a failing write still writes, 0 or more.
  public var bytesWritten: Int

  /// Creates a fault.
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
