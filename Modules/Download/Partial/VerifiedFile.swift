public import CurlewCore

/// A downloaded file that is complete, checked and durable, but has no name yet.
///
/// It is passed to `PartialSink.Options.willPublish`. The file keeps its identity when it gets its name. An app that records
/// the identity can therefore prove later, even after a crash, that a file with that name is the downloaded one.
public struct VerifiedFile: Sendable, Hashable {
  /// The path that the file will get.
  ///
  /// With `CollisionPolicy.number`, a number may be added to it.
  public var path: String
  /// The device and inode, which the file keeps.
  public var identity: FileIdentity
  /// The length in bytes.
  public var length: Int64
  /// When the bytes were last changed, in seconds since 1970.
  ///
  /// `PartialSink.Options.keepsModificationTime` replaces this time when the file is published.
  public var modified: Int64
  /// The nanoseconds of that time within its second.
  public var modifiedNanoseconds: Int64
  /// The digest that the bytes match; nil if no digest was expected.
  public var digest: ExpectedDigest?

  /// Creates the description of a finished file.
  public init(
    path: String, identity: FileIdentity, length: Int64, modified: Int64, modifiedNanoseconds: Int64 = 0,
    digest: ExpectedDigest? = nil
  ) {
    self.path = path
    self.identity = identity
    self.length = length
    self.modified = modified
    self.modifiedNanoseconds = modifiedNanoseconds
    self.digest = digest
  }
}
