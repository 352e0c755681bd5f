public import CurlewCore
public import CurlewDownload
import CurlewRequests
public import FoundationEssentials

/// The input of the job `.download`: what is fetched, and which file it becomes.
public struct BatchDownload: Sendable, Codable {
  /// The request, a `GET`.
  public var request: Request
  /// The path of the file. Until it is complete, its bytes are beside it, and any worker on the same disk goes on with them.
  public var path: String
  /// The digest that the file must have, as `ExpectedDigest` describes it; nil for none.
  public var digest: String?
  /// Whether a file that is there is replaced; otherwise the item fails with `targetExists`, unless that file is provably the result.
  public var replaces = false
  /// Whether directories that are missing are made.
  public var createsDirectories = false
  /// The most bytes; nil is any number.
  public var sizeLimit: Int64?
  /// How many retries may follow each other without progress; nil leaves it to the job's policy.
  public var retries: Int?

  /// Creates an input.
  public init(_ request: Request, to path: String, digest: ExpectedDigest? = nil) {
    self.request = request
    self.path = path
    self.digest = digest?.description
  }

  /// The digest that the file must have.
  ///
  /// - Throws: `BatchError` of kind `invalidItem` when `digest` is not one.
  func expectedDigest() throws(BatchError) -> ExpectedDigest? {
    guard let digest else { return nil }
    guard let expected = ExpectedDigest(digest) else {
      throw BatchError(.invalidItem, "its digest \"\(BatchError.shown(digest))\" is not of the form sha-256:HEX")
    }
    return expected
  }
}

extension BatchItem {
  /// Makes an item that downloads a file, for a worker with the job `.download`. Its host is the request's.
  ///
  /// - Parameters:
  ///   - name: The name of the item.
  ///   - request: The request.
  ///   - path: The path of the file.
  ///   - dependencies: The names of the items that must succeed first.
  ///   - digest: The digest that the file must have; nil for none.
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

  /// Makes an item of the input of a download.
  ///
  /// - Throws: As above.
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
  /// The path.
  public var path: String
  /// How many bytes it has.
  public var length: Int64
  /// Identifies the file on its disk.
  public var identity: FileIdentity
  /// The digest that it was checked against; nil where there was none.
  public var digest: String?

  /// Reads the output of a download.
  ///
  /// - Throws: `DecodingError` for other bytes.
  public init(output: Data) throws { self = try JSONDecoder().decode(BatchFile.self, from: output) }

  init(path: String, length: Int64, identity: FileIdentity, digest: String?) {
    self.path = path
    self.length = length
    self.identity = identity
    self.digest = digest
  }

  init(_ finished: FinishedPartial, digest: String?) {
    self.init(path: finished.path, length: finished.length, identity: finished.identity, digest: digest)
  }
}
