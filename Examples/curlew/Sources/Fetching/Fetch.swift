import CurlewCore
import CurlewDownload
import FoundationEssentials

/// One URL to fetch.
struct Fetch: Sendable {
  /// The index among the URLs of the run.
  let index: Int
  /// The URL as given, with a scheme.
  let url: String
  /// Whether the scheme is one that was assumed.
  var assumesScheme = false
  let request: Request
  let destination: Destination
  /// The digest that this file must have; nil takes what all fetches share.
  var checksum: ExpectedDigest?
  /// Whether the downloaded file replaces an existing one; if not, the fetch fails with `target-exists`.
  var replaces = true
  /// Called when a downloaded file is complete, just before it gets its name; what it throws keeps it from getting it.
  var willPublish: (@Sendable (VerifiedFile) async throws -> Void)?

  /// Returns the name of the file in a directory: the server's (`Content-Disposition`), else the last part of the URL as it was
  /// asked for, as `curlew batch` names its files.
  func fileName(_ head: ResponseHead) -> String {
    SuggestedFileName(disposition: ContentDisposition(of: head.headerFields), url: request.url, mediaType: nil).value
  }

  /// The name that progress shows: the file's, or what the URL suggests.
  var name: String {
    if case .file(let path) = destination, let name = path.split(separator: "/").last { return String(name) }
    let name = request.url.lastPathComponent
    return name.isEmpty || name == "/" ? request.url.host() ?? url : name
  }
}

/// The result of a fetch.
///
/// A class, so that each of many running tasks holds only one reference.
// Safe because only the fetching task writes it, before passing it on.
final class FetchResult: @unchecked Sendable {
  let fetch: Fetch
  var head: ResponseHead?
  /// The size of the body in bytes.
  var bytes: Int64 = 0
  /// The first bytes of a printed body.
  var bodyStart = Data()
  /// The length of a downloaded file, including earlier bytes; nil for other fetches.
  var length: Int64?
  /// The SHA-256 of the body; nil unless bodies are hashed.
  var digest: String?
  /// The path of the file that holds the body; nil when there is none.
  var file: String?
  /// The number of bytes from an earlier run; nil if the fetch does not resume.
  var resumedFrom: Int64?
  /// Whether the file was there already, whole.
  var wasWhole = false
  /// The number of bytes of an incomplete download that a later run continues with.
  var keptBytes: Int64 = 0
  /// The number of followed redirects.
  var redirects = 0
  /// The request of the last redirect; nil without one.
  var lastRequest: Request?
  var metrics: [ExchangeMetrics] = []
  /// The number of attempts.
  var attempts = 1
  var duration: Duration = .zero
  /// The failure; nil when the fetch succeeded.
  var failure: FetchFailure?

  init(fetch: Fetch) { self.fetch = fetch }

  /// Whether the URL does not name the file that a directory gets.
  var isNameless: Bool {
    guard case .directory = fetch.destination else { return false }
    return ["", "/"].contains(fetch.request.url.path(percentEncoded: true))
  }

  /// Returns a line about a written file: `atlas.zip: 3.0 MB (1.0 MB of them before) in 0.4 s`
  func summary(of file: String) -> String {
    let before = (resumedFrom ?? 0) > 0 ? " (\(DecimalText.bytes(resumedFrom ?? 0)) of them before)" : ""
    let seconds = DecimalText.of(duration.inSeconds, digits: 1)
    return "\(file): \(DecimalText.bytes(bytes))\(before) in \(seconds) s"
  }
}
