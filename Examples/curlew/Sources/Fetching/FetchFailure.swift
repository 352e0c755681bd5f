import CurlewCore
import CurlewDownload
import CurlewLoading
import FoundationEssentials
import Glibc
import HTTPTypes

/// The reason why a fetch failed, as messages and reports give it.
struct FetchFailure: Error, Sendable {
  var kind: String
  var stage: NetworkError.Stage
  var message: String
  var maybeProcessed: Bool?
  /// The rule that the server's certificate broke; nil for other failures.
  var trust: ServerTrustError.Reason?
  /// Whether the message says that there is no network.
  var lacksNetwork = false
  /// How many attempts were made.
  var attempts = 1
  /// The status of the response that was refused; nil for other failures.
  var status: Int?
  /// How long the server asks to wait, in seconds; nil if it does not say.
  var retryAfter: Int?
  /// The URL that failed, after redirects; nil if it is unknown.
  var url: URL?
  /// What the SDK advises; nil if nothing.
  var sharedAdvice: String?
  /// What the command advises, before all other advice; nil if nothing.
  var ownAdvice: String?
  /// Whether the URL was given without a scheme, and `https` was taken.
  var assumesTLS = false
  /// Whether a disk is full.
  var lacksSpace = false
  /// The challenges of a 401.
  var challenges: [AuthenticationChallengeField] = []
  /// What the options of the run say, so that no advice repeats one of them.
  var given = GivenOptions()
  /// How many bytes of the file the next run goes on with.
  var keptBytes: Int64 = 0
  /// Whether nothing of the file was kept because the response has nothing by which the server knows the file again.
  var lacksValidator = false

  init(kind: String, stage: NetworkError.Stage, message: String, maybeProcessed: Bool? = nil) {
    self.kind = kind
    self.stage = stage
    self.message = message
    self.maybeProcessed = maybeProcessed
  }

  init(_ error: any Error) {
    switch error {
    case let error as FetchFailure:
      self = error
    case let error as StreamError where error.isInterruption:
      self.init(CancellationError())
    case let error as FileSystemError where error.code == ECANCELED:
      self.init(CancellationError())
    case let error as NetworkError:
      self.init(
        kind: error.kind.rawValue, stage: error.stage, message: error.message, maybeProcessed: error.maybeProcessed)
      trust = error.details.trust?.reason
      lacksNetwork = error.details.lacksNetwork
      attempts = error.details.attempts
      sharedAdvice = error.advice
      status = kind == NetworkError.Kind.unacceptableStatus.rawValue ? error.status?.code : nil
      retryAfter = error.details.response?.headerFields[.retryAfter].flatMap { Int($0) }
      url = error.details.response?.url ?? error.details.request?.url
      challenges =
        error.details.response.map { AuthenticationChallengeField.all(in: $0.headerFields, .wwwAuthenticate) } ?? []
      lacksSpace = (error.details.underlying as? FileSystemError)?.code == ENOSPC
      // A message with its own advice has named the cause.
      guard let cause = error.details.underlying as? FileSystemError, cause.code != EINVAL,
        !message.contains(cause.reason), error.details.advice == nil
      else { return }
      message += " \(cause)."
    case let error as FileSystemError:
      self.init(kind: NetworkError.Kind.fileError.rawValue, stage: .receivingBody, message: "\(error).")
      lacksSpace = error.code == ENOSPC
    case is CancellationError:
      self.init(kind: Self.cancelled, stage: .preparing, message: "The request was cancelled.")
    default:
      self.init(kind: NetworkError.Kind.sinkFailed.rawValue, stage: .receivingBody, message: "\(error)")
    }
  }

  /// Creates the failure for a complete response whose status is an error.
  ///
  /// - Parameter body: The start of the body, which can say more about the error.
  init(status head: ResponseHead, to request: Request, _ body: Data) {
    let phrase = head.status.reasonPhrase
    let error = NetworkError(
      .unacceptableStatus, stage: .validating,
      message: "The server answered \(head.status.code)\(phrase.isEmpty ? "" : " " + phrase).")
    self.init(
      error.with { details in
        (details.request, details.response, details.responseBody) = (request, head, body)
      })
    maybeProcessed = nil
  }

  /// Returns a sentence with the failure, its stage, and advice for the user.
  ///
  /// - Parameters:
  ///   - method: The method of the request; nil if none is sent.
  ///   - connection: The connection options of the request.
  func sentence(
    for url: String, _ method: HTTPRequest.Method? = nil, over connection: ConnectionArguments
  ) -> String {
    let name = method.map { "\($0.rawValue) " } ?? ""
    return FailureLine.text(
      "\(name)\(Self.shown(url))\(redirected(from: url))", message, kind: NetworkError.Kind(rawValue: kind),
      stage: stage.phrase, attempts: attempts, advice: wholeAdvice(for: url, over: connection))
  }

  /// Returns where redirects led; empty if the URL itself failed.
  private func redirected(from text: String) -> String {
    guard let url, let asked = URL(keepingEscapes: WebSocketCommand.httpURL(of: text)),
      (try? Origin(url)) != (try? Origin(asked)) || url.path != asked.path
    else {
      return ""
    }
    return ", redirected to \(Redaction.standard.redacted(url))"
  }

  /// What to do, and what is kept of a file whatever its failure.
  private func wholeAdvice(for url: String, over connection: ConnectionArguments) -> String? {
    let advice = advice(for: url, over: connection)
    if lacksValidator, isCut {
      let lost = "nothing of the file could be kept, since the server sent neither ETag nor Last-Modified"
      return advice.map { "\($0); \(lost)" } ?? lost
    }
    guard keptBytes > 0, !isCut else { return advice }
    let kept = "\(DecimalText.bytes(keptBytes)) are kept, and the same command goes on from there"
    return advice.map { "\($0); \(kept)" } ?? kept
  }

  /// Whether the transfer ended before its body did.
  var isCut: Bool {
    [NetworkError.Kind.truncatedBody, .connectionLost, .idleTimedOut, .timedOut].map(\.rawValue).contains(kind)
  }

  private func advice(for url: String, over connection: ConnectionArguments) -> String? {
    if let ownAdvice { return ownAdvice }
    if let trust { return trustAdvice(trust, for: url) ?? continuation }
    if stage == .resolving, connection.proxy != nil, message.contains("proxy") { return "check --proxy" }
    guard !lacksNetwork else { return nil }
    if status == 401, self.url.flatMap({ try? Origin($0) }) == URL(string: url).flatMap({ try? Origin($0) }) {
      return given.adviceOnChallenge(challenges)
    }
    if let later = adviceForLater ?? status.flatMap({ Self.refusals[$0] }) { return later }
    let isUnreached = [NetworkError.Kind.connectionFailed, .connectTimedOut, .handshakeFailed].map(\.rawValue).contains(
      kind)
    if assumesTLS, isUnreached {
      return "https was assumed; if the server has no TLS, write http:// before the host"
    }
    if kind == NetworkError.Kind.connectionFailed.rawValue {
      if connection.unixSocket != nil { return "check the path of --unix-socket and that a server listens there" }
      if connection.proxy != nil { return "check --proxy and that the proxy runs" }
      if message.contains(String(cString: strerror(ENETUNREACH))) {
        return "this machine has no route to that address; see curlew reach"
      }
    }
    if kind == NetworkError.Kind.unsupported.rawValue, [.named("curl"), .automatic].contains(connection.transport) {
      return connection.http2 ? "leave out --http2, or use libcurl 8.14 or later (see curlew --version)" : nil
    }
    if lacksSpace { return continuation ?? "free some space, or choose a place on another disk" }
    if connection.proxy == nil, Surroundings.namesProxy,
      [NetworkError.Kind.nameLookupFailed, .connectionFailed, .connectTimedOut].map(\.rawValue).contains(kind)
    {
      return "the environment names a proxy, which --proxy env goes through"
    }
    if keptBytes > 0, isCut {
      let orRetry = given.retries == 0 ? ", or take --retry" : ""
      return "\(DecimalText.bytes(keptBytes)) are kept; run the same command to continue\(orRetry)"
    }
    // An error about a file knows best what to do.
    if kind == NetworkError.Kind.fileError.rawValue, let continuation { return continuation }
    let other = Self.advice[kind] ?? continuation
    guard isCut, kind != NetworkError.Kind.timedOut.rawValue else { return other }
    // Something was lost on the way, which another attempt can mend.
    guard given.retries == 0 else { return attempts > 1 ? other : given.adviceOnRetrying ?? other }
    return kind == NetworkError.Kind.idleTimedOut.rawValue ? "take --retry, or raise --idle-timeout" : other
  }

  /// What to do about a status that may be another one later.
  private var adviceForLater: String? {
    guard let status, RetryConditions.temporaryStatuses.contains(status) else { return nil }
    let blame = status == 429 ? "send fewer requests" : "try again later"
    let start =
      switch status {
      case 408: "the server did not get the request in time: \(blame)"
      case 429, 503: blame
      case 502, 504: "a gateway got no valid answer from the server behind it: \(blame)"
      default: "the server itself failed, and its log says why: \(blame)"
      }
    let (wait, isTooLong) = askedWait
    guard attempts == 1, !isTooLong, let advice = given.adviceOnRetrying else { return start + wait }
    return (given.retries == 0 ? "\(start), or \(advice)" : advice) + wait
  }

  /// How long the server asks to wait, as the end of a sentence, and whether `--retry` does not wait so long.
  private var askedWait: (text: String, isTooLong: Bool) {
    guard let retryAfter, retryAfter > 0 else { return ("", false) }
    let limit = RetryPolicy().retryAfterLimit.map { Int($0.inSeconds) } ?? 0
    let isTooLong = retryAfter > limit
    let most = isTooLong && given.retries > 0 ? ", and --retry waits at most \(limit) s" : ""
    return ("; the server asks to wait \(retryAfter) s\(most)", isTooLong)
  }

  /// What to do about a status that stays.
  private static let refusals = [
    403: "the server refuses this request: check that it has the credentials, and that these may do so",
    405: "check the method and the URL", 407: "write --proxy http://NAME:PASSWORD@HOST:PORT",
    413: "the server takes no body of this size", 415: "check the Content-Type, which -H sets",
    501: "the server does not know this method", 511: "sign in to the network first, with a browser",
  ]

  /// What the SDK advises, as the end of a sentence.
  private var continuation: String? {
    // Code is for those who write it.
    guard let text = sharedAdvice, !text.contains("`try "), let first = text.first else { return nil }
    return first.lowercased() + text.dropFirst().dropLast(text.hasSuffix(".") ? 1 : 0)
  }

  /// What happened, and what the SDK advises, for lists of failures.
  var messageAndAdvice: String {
    guard kind == NetworkError.Kind.fileError.rawValue || kind == NetworkError.Kind.targetExists.rawValue,
      let sharedAdvice
    else { return message }
    if kind == NetworkError.Kind.targetExists.rawValue {
      return "\(message) Remove it, choose another name, or take --replace."
    }
    return "\(message) \(sharedAdvice)"
  }

  /// Whether the run was interrupted, which is not a failure of this fetch.
  var isCancelled: Bool { kind == Self.cancelled }

  private static let cancelled = "cancelled"

  /// Returns a URL for a message, also without what looks like a secret in its query.
  private static func shown(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "?")), let url = URL(keepingEscapes: text) else {
      return withoutSecrets(text)
    }
    return Redaction.standard.redacted(url)
  }

  /// Returns a URL without user name and password.
  ///
  /// They must not be logged, even though such a URL is rejected.
  static func withoutSecrets(_ url: String) -> String {
    // Also of a URL that was written without a scheme.
    // By scalars, since a mark behind the `@` would make it a part of another character.
    let scalars = url.unicodeScalars
    let start = scalars.firstRange(of: "://".unicodeScalars)?.upperBound ?? url.startIndex
    let end = scalars[start...].firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? url.endIndex
    guard let at = scalars[start..<end].lastIndex(of: "@") else { return url }
    return String(scalars[..<start]) + Redaction.mark + String(scalars[at...])
  }

  /// The advice for refusals of a certificate that names commands and options; for others the SDK's is shown.
  ///
  /// No advice makes Curlew trust a server that it should not trust.
  private func trustAdvice(_ reason: ServerTrustError.Reason, for text: String) -> String? {
    let origin = (self.url ?? URL(string: text)).flatMap { try? Origin($0).description }
    let look = "curlew trust " + (origin?.split(separator: "/").last.map(String.init) ?? "HOST")
    return switch reason {
    case .untrusted where given.hasPins && !given.isInsecure:
      "the chain is checked before any pin; take --cacert with a file that you got from the server's operator, and see what it "
        + "shows with \(look)"
    case .untrusted:
      "see its chain with \(look); if it is your own authority's, take --cacert with a file that you got from it"
    case .hostMismatch: "check the name in the URL against those that \(look) shows"
    case .malformed: "see what the server shows with \(look)"
    case .policy: "check the trust options"
    default: nil
    }
  }

  /// The advice that names options; for other failures the SDK's is shown.
  private static let advice = [
    "file-error": "check the path, who may write there and what room is left",
    "target-in-use": "wait for the other download of this file",
    "digest-mismatch": "check the digest, or ask who runs the server",
    "invalid-url": "give an absolute http or https URL",
    "unsupported": "take --transport curl",
    "resource-exhausted": "lower --parallel or raise the limit with ulimit",
    "connect-timed-out": "check that the server answers, or raise --connect-timeout",
    "timed-out": "raise --timeout",
    "idle-timed-out": "raise --idle-timeout",
    "target-exists": "remove it, choose another name, or take --replace",
    "body-too-large": "raise --max-size",
    "too-many-redirects":
      "look at them with -v; take --cookie-jar if the server sets a cookie first, and raise --max-redirects if they end",
    "invalid-redirect": "look at the redirect with --no-location --include",
    "client-identity-failed": "check --cert and --key",
    "proxy-failed": "check --proxy",
    "proxy-challenge": "give the proxy's credentials in its URL",
  ]
}

extension NetworkError {
  /// What happened, and what to do about it, for a sentence of another error.
  var messageAndAdvice: String { advice.map { "\(message) \($0)" } ?? message }
}
