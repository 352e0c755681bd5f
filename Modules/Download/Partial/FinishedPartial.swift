public import CurlewCore

/// A file whose bytes are complete, checked and durable, and that does not have its name yet.
///
/// `PartialSink.Options.willPublish` gets it. The identity stays the same when the file gets its name, so whoever records it
/// can prove later, even after a crash in between, that a file of that name is the downloaded one.
public struct FinishedPartial: Sendable, Hashable {
  /// The path that the file gets; with `CollisionPolicy.number` it can get a number.
  public var path: String
  /// The device and inode, which the file keeps.
  public var identity: FileIdentity
  /// The length in bytes.
  public var length: Int64
  /// When the bytes were changed last, in seconds since 1970; `PartialSink.Options.keepsModificationTime` replaces it.
  public var modified: Int64
  /// The digest that the bytes were checked against; nil when there was none to check.
  public var digest: ExpectedDigest?

  /// Creates the description of a finished file.
  public init(path: String, identity: FileIdentity, length: Int64, modified: Int64, digest: ExpectedDigest? = nil) {
    self.path = path
    self.identity = identity
    self.length = length
    self.modified = modified
    self.digest = digest
  }
}
