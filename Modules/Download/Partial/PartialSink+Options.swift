extension PartialSink {
  /// How a file is kept and published.
  public struct Options: Sendable {
    /// What to do if another file has the target's name.
    public var collision = CollisionPolicy.fail
    /// How the file is verified before it is published.
    public var verification = DownloadVerification.fields
    /// The most bytes of the file; nil sets no limit.
    public var sizeLimit: Int64?
    /// The permissions of the file; nil means those of the file that it replaces, or 0666 minus the umask.
    ///
    /// If they are set, only the owner may read the partial file.
    public var permissions: UInt16?
    /// Whether the file gets the modification time that the server sends.
    public var keepsModificationTime = false
    /// Whether to create missing directories.
    public var createsDirectories = false
    /// Whether received bytes, and the file once it has its name, survive a power failure.
    ///
    /// If not, they survive the end of the process at any moment and nothing is waited for: after a power failure the download starts
    /// over, and a file that has its name may be damaged.
    public var survivesPowerFailure = true
    /// The number of received bytes after which they are made durable.
    public var durableBytes: Int64 = 16 << 20
    /// The longest time after which received bytes are made durable.
    ///
    /// It is checked when more bytes arrive. The time becomes longer if the downloads on a disk would otherwise spend more than
    /// a quarter of the disk's time on synchronizing.
    public var durableInterval = Duration.seconds(5)
    /// Called with the complete file, just before it gets its name.
    ///
    /// The bytes are then checked and, unless `survivesPowerFailure` is off, durable. If it throws, the download fails with that error: the file is not published, and
    /// its bytes are kept. Another attempt calls it again.
    public var willPublish: (@Sendable (VerifiedFile) async throws -> Void)?

    /// Whether the app vouches that the request leads to the file whose bytes are kept, although its URL is another one.
    ///
    /// The validator and the length must still be the same.
    package var renewsLink = false

    /// Creates the default options.
    public init() {}

    /// How often the bytes are made durable, if they are.
    var syncInterval: PartialFile.SyncInterval {
      var interval = PartialFile.SyncInterval(bytes: durableBytes, interval: durableInterval)
      interval.isOff = !survivesPowerFailure
      return interval
    }
  }
}
