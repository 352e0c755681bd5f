import CurlewCore
import HTTPTypes

/// Why a fetch failed, as it is reported.
struct FetchFailure: Error, Sendable {
  var kind: String
  var stage: String
  var message: String
  var maybeProcessed: Bool?

  init(kind: String, stage: NetworkError.Stage, message: String, maybeProcessed: Bool? = nil) {
    self.kind = kind
    self.stage = stage.rawValue
    self.message = message
    self.maybeProcessed = maybeProcessed
  }

  init(_ error: any Error) {
    switch error {
    case let error as FetchFailure:
      self = error
    case let error as NetworkError:
      self.init(
        kind: error.kind.rawValue, stage: error.stage, message: error.message, maybeProcessed: error.maybeProcessed)
      guard let cause = error.details.underlying as? FileSystemError else { return }
      if error.kind == .sinkFailed { self = FetchFailure(cause) } else { message += " \(cause)." }
    case let error as FileSystemError:
      self.init(kind: NetworkError.Kind.fileError.rawValue, stage: .receivingBody, message: "\(error).")
    case is CancellationError:
      self.init(kind: "cancelled", stage: .preparing, message: "The request was cancelled.")
    default:
      self.init(kind: NetworkError.Kind.sinkFailed.rawValue, stage: .receivingBody, message: "\(error)")
    }
  }

  /// A response that came whole and says that the request failed.
  init(status head: ResponseHead) {
    let phrase = head.status.reasonPhrase
    self.init(
      kind: NetworkError.Kind.unacceptableStatus.rawValue, stage: .validating,
      message: "The server answered \(head.status.code)\(phrase.isEmpty ? "" : " " + phrase).")
  }

  /// One sentence: what failed, at which stage, and what to do where something can be done.
  func sentence(for url: String) -> String {
    let text = message.hasSuffix(".") ? String(message.dropLast()) : message
    let advice = Self.advice[kind].map { "; \($0)" } ?? ""
    return "curlew: \(Self.withoutSecrets(url)): \(text) (\(kind), while \(stage.replacing("-", with: " ")))\(advice)."
  }

  /// A URL as it was given, without a user's name and password; such a one is refused, and may not stand in a log.
  static func withoutSecrets(_ url: String) -> String {
    guard let scheme = url.firstRange(of: "://") else { return url }
    let end = url[scheme.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    guard let at = url[scheme.upperBound..<end].lastIndex(of: "@") else { return url }
    return url[..<scheme.upperBound] + Redaction.mark + url[at...]
  }

  private static let advice = [
    "file-error": "check the path, who may write there and what room is left",
    "invalid-url": "give an absolute http or https URL",
    "unsupported": "take --transport curl",
    "resource-exhausted": "lower --parallel or raise the limit with ulimit",
    "name-lookup-failed": "check the host's name",
    "connection-failed": "check the host, the port and that the server runs",
    "connect-timed-out": "check that the server answers, or raise --connect-timeout",
    "timed-out": "raise --timeout",
    "body-too-large": "raise --max-size",
    "too-many-redirects": "raise --max-redirects where they end at all",
    "invalid-redirect": "look at the redirect with --no-location --include",
    "server-trust-refused": "see why with curlew trust, and trust it with --cacert or --pin",
    "client-identity-failed": "check --cert and --key",
    "proxy-failed": "check --proxy",
    "proxy-challenge": "give the proxy's credentials in its URL",
  ]
}
