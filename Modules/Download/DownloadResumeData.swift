public import CurlewCore
import CurlewStorage
public import FoundationEssentials
import HTTPTypes

extension NetworkError.Kind {
  /// Resume data are damaged, of another version, or not those of a download.
  public static let invalidResumeData = NetworkError.Kind(rawValue: "invalid-resume-data")
}

/// A description of an interrupted download that can be stored and resumed later.
///
/// It contains the request and the state of the download, but no path and no bytes: the bytes stay in the partial file, and
/// whoever resumes names the target again. Nothing in resume data can therefore direct a write to another place. A checksum
/// detects damage.
///
/// ```swift
/// if let data = await task.cancelByProducingResumeData() { try data.encoded().write(to: store) }
/// // later, perhaps in another process
/// let data = try DownloadResumeData(Data(contentsOf: store))
/// let rest = session.download(resuming: data, to: .file("/srv/birds.iso"))
/// ```
///
/// Resuming never joins wrong bytes: the journal beside the partial file decides what can be kept, and the server must confirm
/// it. If the bytes are gone, the download starts over.
///
/// Unless the encoder's `userInfo` has `includesSecrets`, the request is stored without the secrets that `Redaction.standard`
/// names. `omittedSecrets` lists what is missing, and the caller can pass a complete request when resuming.
public struct DownloadResumeData: Sendable {
  /// The most bytes of stored resume data.
  public static let limit = 1 << 20

  /// The request of the download, without `Range`.
  public var request: Request { archive.request }
  /// The names of the secrets that the stored request lacks; empty for resume data that were not read.
  ///
  /// `RequestArchive.omittedSecrets` describes the names.
  public var omittedSecrets: [String] { archive.omittedSecrets }
  /// The state of the download, without its paths.
  public private(set) var download: DownloadState
  /// The identifier of a download into a directory, which a request with a fresh link needs too; nil for a file.
  package private(set) var identifier: String?
  private var archive: RequestArchive

  /// Describes a download.
  ///
  /// - Throws: `NetworkError` of kind `invalidResumeData` for a request that no download can resume.
  package init(_ request: Request, _ download: DownloadState, identifier: String?) throws(NetworkError) {
    archive = RequestArchive(request)
    self.download = download
    self.download.path = nil
    self.download.partialPath = nil
    self.identifier = identifier
    try check()
  }

  /// Reads stored resume data.
  ///
  /// - Throws: `NetworkError` of kind `invalidResumeData` for anything that `encoded` did not write.
  public init(_ data: Data) throws(NetworkError) {
    guard data.count <= Self.limit else { throw Self.invalid("They have more than \(Self.limit) bytes.") }
    do {
      self = try JSONDecoder().decode(Self.self, from: data)
    } catch let error as NetworkError {
      throw error
    } catch {
      throw Self.invalid("They are damaged.", error)
    }
  }

  /// Returns the resume data as bytes that can be stored.
  ///
  /// - Parameter includingSecrets: Whether the request keeps its secrets, such as `Authorization`. Whoever reads the bytes can
  ///   then use them.
  /// - Throws: The errors of encoding the request; see `RequestArchive`.
  public func encoded(includingSecrets: Bool = false) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.userInfo[.includesSecrets] = includingSecrets
    return try encoder.encode(self)
  }

  /// Checks what a download relies on.
  private func check() throws(NetworkError) {
    guard request.method == .get else { throw Self.invalid("A download requests with GET, not \(request.method).") }
    guard let scheme = request.url.scheme?.lowercased(), scheme == "https" || scheme == "http" else {
      throw Self.invalid("The URL of a download begins with http or https.")
    }
    guard request.headerFields[.range] == nil, request.headerFields[.ifRange] == nil else {
      throw Self.invalid("The request of a download has no range of its own.")
    }
    guard request.body.isEmpty else { throw Self.invalid("The request of a download has no body.") }
    guard download.completed >= 0, download.completed <= download.total ?? .max else {
      throw Self.invalid("They count \(download.completed) bytes of \(download.total ?? 0).")
    }
  }

  private static func invalid(_ reason: String, _ cause: (any Error)? = nil) -> NetworkError {
    NetworkError(
      .invalidResumeData, stage: .preparing, message: "The resume data cannot be used. \(reason)", underlying: cause)
  }
}

extension DownloadResumeData: Codable {
  private enum Key: String, CodingKey { case version, checksum, content }

  /// What the checksum covers.
  private struct Content: Codable {
    var request: RequestArchive
    var download: DownloadState
    var identifier: String?
  }

  private static let version = 1

  /// Reads resume data.
  ///
  /// - Throws: `NetworkError` of kind `invalidResumeData` for another version and for content that no download can use;
  ///   `DecodingError` for content of another shape.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let version = try container.decode(Int.self, forKey: .version)
    guard version == Self.version else { throw Self.invalid("Their version \(version) is not supported.") }
    let bytes = try container.decode(Data.self, forKey: .content)
    guard bytes.count <= Self.limit, try container.decode(String.self, forKey: .checksum) == Self.checksum(bytes) else {
      throw Self.invalid("Their checksum does not match.")
    }
    let content = try JSONDecoder().decode(Content.self, from: bytes)
    (archive, download, identifier) = (content.request, content.download, content.identifier)
    (download.path, download.partialPath) = (nil, nil)
    try check()
  }

  /// Writes the resume data, by default without secrets.
  ///
  /// - Throws: The errors of encoding the request; see `RequestArchive`.
  public func encode(to encoder: any Encoder) throws {
    let inner = JSONEncoder()
    inner.userInfo[.includesSecrets] = encoder.userInfo[.includesSecrets] as? Bool ?? false
    inner.outputFormatting = .sortedKeys
    let content = Content(request: archive, download: download, identifier: identifier)
    let bytes = try inner.encode(content)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.version, forKey: .version)
    try container.encode(Self.checksum(bytes), forKey: .checksum)
    try container.encode(bytes, forKey: .content)
  }

  private static func checksum(_ bytes: Data) -> String {
    String(bytes.withUnsafeBytes { Checksum(of: $0) }.value, radix: 16)
  }
}
