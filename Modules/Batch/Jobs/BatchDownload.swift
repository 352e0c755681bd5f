public import CurlewCore
public import CurlewDownload
import CurlewRequests
public import FoundationEssentials

/// The input of the job `.download`: the request and the path of the file.
public struct BatchDownload: Sendable, Codable {
  /// The request, whose method is `GET`.
  public var request: Request
  /// The path of the file.
  ///
  /// Until the file is complete, its bytes are kept beside it, and any worker with the same disk can continue the transfer.
  public var path: String
  /// The digest that the file must have (`ExpectedDigest`); nil skips the check.
  public var digest: String?
  /// Whether an existing file is replaced.
  ///
  /// If it is not, the item fails with `targetExists`, unless the file is provably the result of this download.
  public var replaces = false
  /// Whether missing directories are created.
  public var createsDirectories = false
  /// The most bytes that the file may have; nil sets no limit.
  public var sizeLimit: Int64?
  /// The most consecutive retries without progress; nil uses the job's policy.
  public var retries: Int?

  /// Creates an input.
  public init(_ request: Request, to path: String, digest: ExpectedDigest? = nil) {
    self.request = request
    self.path = path
    self.digest = digest?.description
  }

  /// The digest that the file must have.
  ///
  /// - Throws: `BatchError` of kind `invalidItem` when `digest` is malformed.
  func expectedDigest() throws(BatchError) -> ExpectedDigest? {
    guard let digest else { return nil }
    guard let expected = try? ExpectedDigest(digest) else {
      throw BatchError(.invalidItem, "its digest \"\(BatchError.shown(digest))\" is not of the form sha-256:HEX")
    }
    return expected
  }
}

extension BatchItem {
  /// Creates an item that downloads a file, for a worker with the job `.download`.
  ///
  /// The item's host is the host of the request.
  ///
  /// - Parameters:
  ///   - name: The name of the item.
  ///   - request: The request.
  ///   - path: The path of the file.
  ///   - dependencies: The names of the items that must succeed first.
  ///   - digest: The digest that the file must have; nil skips the check.
  ///   - includesSecrets: Whether credentials in the request may be stored with the item.
  /// - Throws: `BatchError` of kind `secretsInItem` for a request with credentials, unless they may be stored; `NetworkError` for a
  ///   body that cannot be stored (`RequestArchive`).
  public static func download(
    _ name: String, _ request: Request, to path: String, after dependencies: [String] = [],
    digest: ExpectedDigest? = nil,
    includesSecrets: Bool = false
  ) throws -> BatchItem {
    try download(
      name, BatchDownload(request, to: path, digest: digest), after: dependencies, includesSecrets: includesSecrets)
  }

  /// Creates an item from the input of a download.
  ///
  /// - Throws: `BatchError` or `NetworkError`, like the other `download`.
  public static func download(
    _ name: String, _ download: BatchDownload, after dependencies: [String] = [], includesSecrets: Bool = false
  ) throws -> BatchItem {
    try StoredRequest.check(download.request, of: name, includesSecrets: includesSecrets)
    return BatchItem(
      name, job: .download, input: try StoredRequest.encoder.encode(download), dependencies: dependencies,
      host: try? download.request.origin.host)
  }
}

/// A file that a batch has downloaded: the output of the job `.download`, in JSON.
public struct BatchFile: Sendable, Hashable, Codable {
  /// The path of the file.
  public var path: String
  /// The number of bytes in the file.
  public var length: Int64
  /// The identity of the file on its disk.
  public var identity: FileIdentity
  /// The digest that the file was checked against; nil if there was no check.
  public var digest: String?
  /// When the bytes were last changed, in seconds since 1970; nil in a record of an earlier version.
  public var modified: Int64?
  /// The nanoseconds of that time within its second.
  public var modifiedNanoseconds: Int64?

  /// Decodes the output of the job `.download`.
  ///
  /// - Throws: `DecodingError` when the output does not come from that job.
  public init(output: Data) throws { self = try JSONDecoder().decode(BatchFile.self, from: output) }

  /// Describes the file at a path.
  init(path: String, _ status: FileStatus, digest: String?) {
    self.path = path
    length = status.length
    identity = status.identity
    self.digest = digest
    (modified, modifiedNanoseconds) = (status.modified, status.modifiedNanoseconds)
  }

  init(_ finished: VerifiedFile, digest: String?) {
    path = finished.path
    length = finished.length
    identity = finished.identity
    self.digest = digest
    (modified, modifiedNanoseconds) = (finished.modified, finished.modifiedNanoseconds)
  }

  /// Whether a file is this one and was not changed since.
  func isUnchanged(_ status: FileStatus) -> Bool {
    identity == status.identity && length == status.length && modified ?? status.modified == status.modified
      && modifiedNanoseconds ?? status.modifiedNanoseconds == status.modifiedNanoseconds
  }
}
