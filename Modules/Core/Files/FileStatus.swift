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
