public import FoundationEssentials
public import HTTPTypes

/// The error of a failed request.
///
/// It is the error type of every transport and stage, and contains all that was known when the request failed. Its description
/// names the request, what happened, and how far the request had come:
///
/// ```swift
/// do {
///   let bird: Bird = try await session.get("birds/7")
/// } catch let error as NetworkError where error.status == .notFound {
///   print(error)  // GET https://api.example.com/v1/birds/7: The server answered 404 Not Found. (unacceptable-status, …)
/// } catch let error as NetworkError where error.isRetryable {
///   print("Try again later.")
/// }
/// ```
///
/// The description shows no secret: it includes neither the URL's query and user, nor fields, nor bodies, and messages never
/// quote a credential. `details` contains everything; `Redaction.redacted` removes secrets before logging. A cancelled request
/// throws `CancellationError` instead.
public struct NetworkError: Error, Sendable {
  // On the heap, so that throwing and storing the error costs one reference.
  private final class Storage: Sendable {
    let details: Details
    init(_ details: Details) { self.details = details }
  }

  /// Everything that is known about the failure.
  public struct Details: Sendable {
    /// The kind of failure.
    public var kind: Kind
    /// How far the request had come.
    public var stage: Stage
    /// A sentence that says what failed.
    public var message: String
    /// A sentence that says what to do about it; nil if nothing is known, or if the kind of the error says it.
    ///
    /// `NetworkError.advice` is this one, or that of the kind.
    public var advice: String?
    /// The request as it was sent; nil if none was sent.
    public var request: Request?
    /// The response's head; nil if none arrived.
    public var response: ResponseHead?
    /// The start of a rejected response's body, at most `keptBodyBytes`.
    public var responseBody: Data?
    /// The bytes of the request's body that the kernel has taken.
    public var bytesSent: Int64 = 0
    /// The bytes of the response's body that arrived, before decoding.
    public var bytesReceived: Int64 = 0
    /// Whether the connection was reused; nil if unknown or without a connection.
    public var connectionReused: Bool?
    /// Whether the server may have processed the request.
    ///
    /// False only if it certainly has not.
    public var maybeProcessed = false
    /// Whether this machine had no network, so that no server could be reached; the message says so.
    ///
    /// It is set by `Loader` for `nameLookupFailed` and `connectionFailed` if no interface but loopback was up.
    public var lacksNetwork = false
    /// The rejected server trust, with the reason.
    public var trust: ServerTrustError?
    /// The proxy's challenges when it rejected a tunnel with 407.
    public var proxyChallenges: [Challenge] = []
    /// The number of attempts that a `Transfer` made, 1 or more; this error ended the last one.
    public var attempts = 1
    /// The missing capabilities, for `unsupported`.
    public var missing: TransportCapabilities = []
    /// Where a broken download can continue; nil if it cannot.
    public var resumption: (any ResumableHandle)?
    /// The error that caused this one; nil if no other error did.
    public var underlying: (any Error)?
    /// The transport's own error number, for reports; nil if it reported none.
    ///
    /// For libcurl it is the `CURLcode`.
    public var transportCode: Int?
    /// The code with which the server reset the HTTP/2 stream; nil if it did not.
    ///
    /// It is one of RFC 9113 §7, such as 8 for CANCEL. 7 (REFUSED_STREAM) also stands for a stream that GOAWAY excluded.
    public var streamErrorCode: Int?
    /// The format of the session that sent the request, a `ValueCoding`; nil if it has none.
    ///
    /// `decodedBody(as:)` of CurlewSession needs it.
    package var coding: (any Sendable)?
  }

  private var storage: Storage

  /// Everything that is known about the failure.
  public var details: Details {
    get { storage.details }
    set { storage = Storage(newValue) }
  }

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - message: A sentence that says what failed, without secrets.
  ///   - advice: A sentence that says what to do about it, without secrets; nil for that of the kind, if there is one.
  public init(_ kind: Kind, stage: Stage, message: String, advice: String? = nil, underlying: (any Error)? = nil) {
    storage = Storage(Details(kind: kind, stage: stage, message: message, advice: advice, underlying: underlying))
  }

  /// Creates an error from its details.
  public init(_ details: Details) { storage = Storage(details) }

  /// Returns this error with some details changed.
  public func with(_ change: (inout Details) -> Void) -> NetworkError {
    var details = details
    change(&details)
    return NetworkError(details)
  }

  /// The most bytes of a rejected body that an error can keep: 1 MiB.
  ///
  /// The calls of a session and of a loader keep the first 64 KB.
  public static let keptBodyBytes = 1 << 20

  /// The kind of failure.
  public var kind: Kind { storage.details.kind }
  /// How far the request had come.
  public var stage: Stage { storage.details.stage }
  /// A sentence that says what failed.
  public var message: String { storage.details.message }
  /// Whether the server may have processed the request.
  ///
  /// False only if it certainly has not.
  public var maybeProcessed: Bool { storage.details.maybeProcessed }

  /// Whether it is a timeout.
  public var isTimeout: Bool { kind == .connectTimedOut || kind == .idleTimedOut || kind == .timedOut }

  /// The status of the response; nil if none arrived.
  ///
  /// A body that cannot be decoded, or that was lost, has a successful one.
  public var status: HTTPResponse.Status? { storage.details.response?.status }

  /// The code is a part of the status.
  @available(*, unavailable, message: "Write error.status?.code")
  public var statusCode: Int? { nil }

  /// There is no property of this name.
  @available(*, unavailable, message: "Write error.decodedBody(as:), or error.details.responseBody for its first bytes")
  public var body: Data? { nil }

  /// There is no property of this name.
  @available(*, unavailable, message: "Write error.details.response")
  public var response: ResponseHead? { nil }

  /// Whether the same request could succeed later; it says nothing about whether repeating it is safe.
  ///
  /// It is true for the errors that the conditions of a `RetryPolicy` include by default: `RetryConditions.temporaryStatuses`, and
  /// temporary failures on the way. It is the same for every method, so it is also true for a POST that was answered with 503. The
  /// policy does not repeat that POST unless `options.isIdempotent` is set or it has an `Idempotency-Key`, because the server may have
  /// processed it (`maybeProcessed`).
  public var isRetryable: Bool {
    kind == .unacceptableStatus
      ? status.map { Self.temporaryStatuses.contains($0.code) } ?? false : Self.temporaryKinds.contains(kind)
  }

  /// The statuses of temporary failures: 408 (RFC 9110 §15.5.9), 429 (RFC 6585 §4) and 5xx, without 501 and 505, after which the
  /// same request fails again (RFC 9110 §15.6.2, §15.6.6), and 511, which asks to sign in to the network (RFC 6585 §6).
  package static let temporaryStatuses = Set(500...599).subtracting([501, 505, 511]).union([408, 429])

  /// The kinds of temporary failures.
  ///
  /// A whole response whose value cannot be decoded is not one: the server would send it again.
  package static let temporaryKinds: Set<Kind> = [
    .nameLookupFailed, .connectionFailed, .connectTimedOut, .connectionLost, .idleTimedOut, .timedOut, .streamReset,
    .proxyFailed, .resourceExhausted, .truncatedBody, .contentDecodingFailed,
  ]

  static let bodyAlreadyRead = NetworkError(
    .bodyAlreadyRead, stage: .receivingBody, message: "The body was already read, and it can only be read once.")
}

/// Lets a broken download continue; created by CurlewDownload.
public protocol ResumableHandle: Sendable {
  /// The number of bytes that are safely stored.
  var completedBytes: Int64 { get }
}

extension NetworkError {
  /// A sentence that says what to do; nil if nothing is known.
  ///
  /// The description is the message and this sentence: no message says what to do by itself. Where it names settings, they are those of the SDK: a program whose users know nothing of these, such
  /// as a command-line tool, shows the message, and this or words of its own.
  public var advice: String? {
    if let advice = details.advice { return advice }
    if let trust = details.trust { return trust.advice ?? trust.reason.advice }
    guard !details.lacksNetwork else {
      return "Connect it and try again; `ConnectivityWait` of CurlewReachability lets requests wait for a network."
    }
    switch kind {
    case .nameLookupFailed:
      return "Check the spelling of the host; if it is right, the name server may not answer at the moment: try again."
    case .connectionFailed: return "Check the address, and that the server runs."
    // A server without TLS can wait in vain for the end of a line.
    case .connectTimedOut where details.request?.url.scheme?.lowercased() == "https":
      return "Check that the server can be reached and speaks TLS at this port, or raise `options.timeouts.connect`."
    case .connectTimedOut: return "Check that the server can be reached, or raise `options.timeouts.connect`."
    // Only a server of this machine is to be used without TLS because of an error.
    case .handshakeFailed:
      return details.request?.isForLoopback == true
        ? "Check the port; if the server speaks plain HTTP there, write http:// in the URL."
        : "Check the port: the server may not speak TLS there."
    case .idleTimedOut: return "If the server needs longer, raise `options.timeouts.idle`."
    case .timedOut:
      return "If the server needs longer, raise `options.timeouts.total`, or the deadline if there is one."
    case .unsupported where details.missing.contains(.http2):
      return "For HTTP/2, use libcurl 8.14 or later (but not 8.16), or the transport of the trait AsyncHTTPClient."
    case .connectionLost where mayHaveMetTLS: return "If the server speaks TLS at this port, write https:// in the URL."
    case .unacceptableStatus where isAnswerToPlainHTTP:
      return "The server expects TLS at this port: write https:// in the URL."
    case .unacceptableStatus where status == .unauthorized:
      if isElsewhere { return "Credentials are not sent after a redirect to another server; request that URL itself." }
      if refusesCredentials { return "The server refused the credentials that the request had: check them" + asked }
      return askedSchemes.map { $0.lowercased() } == ["bearer"]
        ? "Give the session a token (`headerFields[.authorization] = \"Bearer …\"`, or a `TokenSource` if it expires) for \(server)"
          + asked
        : "Give the session a password (`configuration.authenticate(user:password:)`) or a token (`TokenSource`) for \(server)"
          + asked
    case .unacceptableStatus:
      let parts = [forLater ?? refusal, whatTheServerSaid].compactMap(\.self)
      return parts.isEmpty ? nil : parts.joined(separator: " ")
    case .proxyFailed where stage == .connecting:
      return "Check the proxy's address, and that it lets requests to this host and port through."
    case .unacceptableContentType where isAnsweredWithHTML, .serializationFailed where isAnsweredWithHTML:
      return "The body is a page of HTML, such as one for signing in, one of a proxy, or one that a wrong URL leads to."
        + (kind == .unacceptableContentType && details.coding != nil ? " With `.string` it is a value." : "")
    case .unacceptableContentType:
      return "Check the URL; with `.string` or `.data` any body is a value."
    case .serializationFailed where details.response != nil:
      return
        "\(isOfAnotherShape ? "Compare the type with" : "Look at") the body: `try error.refusedValue(.string)` is its start as text."
    case .bodyTooLarge:
      return
        "Download it to a file, read bytes with `.data(upTo:)`, or raise `validation.maximumBytes` of the value's format."
    case .truncatedBody: return "The connection broke, or the server stopped: try again."
    case .contentDecodingFailed: return "The body was damaged on its way, or the server wrote it wrongly: try again."
    default: return nil
    }
  }

  /// What to do about a status that stays.
  private var refusal: String? {
    switch status?.code {
    case let code? where [301, 302, 303, 307, 308].contains(code) && details.response?.headerFields[.location] != nil:
      "The redirect\(place) was not followed: raise `options.redirectLimit`, or request that URL."
    case 403: "The server refuses this request: check that it has the credentials, and that these may do so."
    case 405: "Check the method and the URL\(allowed)."
    case 407: "Give the proxy a user and a password (`Proxy.credential`), or check them."
    case 413: "The server takes no body of this size."
    case 415: "The server takes no body of this type: check `Content-Type`."
    case 501: "The server does not know this method."
    case 511: "Sign in to the network first, with a browser."
    default: nil
    }
  }

  /// Where a redirect leads.
  private var place: String {
    let text = details.response?.headerFields[.location] ?? ""
    let url = URL(keepingEscapes: text).flatMap { URL(string: $0.relativeString, relativeTo: details.response?.url) }
    return url.map { " to \(Redaction.name(of: $0))" } ?? ""
  }

  /// The methods that a server allows, as the end of a sentence.
  private var allowed: String {
    let methods = (details.response?.headerFields[.allow] ?? "").prefix(100)
    guard !methods.isEmpty, methods.utf8.allSatisfy({ (0x41...0x5A).contains($0) || $0 == 0x2C || $0 == 0x20 }) else {
      return ""
    }
    return ": the server allows \(methods)"
  }

  /// What to do about a status that may be another one later.
  private var forLater: String? {
    guard let code = status?.code, Self.temporaryStatuses.contains(code) else { return nil }
    let what =
      switch code {
      case 408: "The server did not get the request in time: try again"
      case 429: "Send fewer requests"
      case 503: "The server is overloaded or down for a while: try again later"
      case 502, 504: "A gateway got no valid answer from the server behind it: try again later"
      default: "The server itself failed, and its log says why: try again later"
      }
    let seconds = details.response?.headerFields[.retryAfter].flatMap { Int($0) }
    let wait = seconds.map { "; it asks to wait \($0) s (`Retry-After`)." } ?? "."
    return what + wait + (details.attempts > 1 ? "" : repeating)
  }

  /// What repeats the request.
  private var repeating: String {
    guard let request = details.request, !request.isIdempotent else {
      return " A `RetryPolicy` waits and repeats it (`configuration.retry`)."
    }
    return
      " A `RetryPolicy` repeats a \(request.method) only with an `Idempotency-Key` or `options.isIdempotent`, because the"
      + " server may have processed it."
  }

  /// Whether the body could be read, and is not what the type needs.
  private var isOfAnotherShape: Bool {
    switch details.underlying as? DecodingError {
    case .typeMismatch, .valueNotFound, .keyNotFound: true
    default: false
    }
  }

  /// Whether the request had credentials; those of a session's `Authentication` are not in the request of the error.
  private var refusesCredentials: Bool {
    details.response?.refusesCredentials == true || details.request?.headerFields[.authorization] != nil
  }

  /// The origin that answered: what was given for another one was not sent to it.
  private var server: String { details.response.flatMap { try? Origin($0.url).description } ?? "this server" }

  /// What kinds of credentials the server asks for, such as `Bearer`.
  private var asked: String {
    askedSchemes.isEmpty ? "." : "; it asks for \(askedSchemes.joined(separator: " or "))."
  }

  /// The first schemes of the server's challenges.
  private var askedSchemes: [Substring] {
    let challenges = AuthenticationChallengeField.all(in: details.response?.headerFields ?? [:], .wwwAuthenticate)
    return challenges.prefix(4).map { $0.scheme.prefix(20) }
  }

  /// Where the server's own words are. The description must not quote the body, which can have secrets.
  private var whatTheServerSaid: String? {
    guard details.coding != nil, details.responseBody?.isEmpty == false else { return nil }
    if details.response?.mediaType?.type == "text" {
      return "`try error.refusedValue(.string)` is the start of what the server said about it."
    }
    guard isAnsweredWithJSON else { return nil }
    return details.response?.mediaType?.essence == "application/problem+json"
      ? "`error.decodedBody(as: ProblemDetails.self)` has what the server said about it."
      : "`error.decodedBody(as:)` has what the server said about it."
  }

  /// Whether a server for TLS may have closed the connection, because it was sent HTTP without TLS.
  private var mayHaveMetTLS: Bool {
    guard stage == .awaitingHead, details.connectionReused != true, let url = details.request?.url else { return false }
    return url.scheme?.lowercased() == "http" && url.port.map { $0 != 80 } == true
  }

  /// Whether the response came from another origin than the one that was asked.
  private var isElsewhere: Bool {
    guard let asked = details.request?.url, let answered = details.response?.url else { return false }
    return (try? Origin(asked)) != (try? Origin(answered))
  }

  /// Whether the response is a page of HTML, by its media type or by its first bytes.
  private var isAnsweredWithHTML: Bool {
    if ["text/html", "application/xhtml+xml"].contains(details.response?.mediaType?.essence) { return true }
    let start = String(decoding: (details.responseBody ?? Data()).prefix(256), as: UTF8.self).lowercased()
    let text = start.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
  }

  /// Whether the response is JSON by its media type (RFC 6839 §3.1).
  private var isAnsweredWithJSON: Bool {
    guard let type = details.response?.mediaType?.essence else { return false }
    return type == "application/json" || type.hasSuffix("+json")
  }

  /// Whether the server says that it expected TLS where it was sent HTTP without it.
  ///
  /// The sentences are those of nginx, Apache and Go's server, which answer so with 400.
  private var isAnswerToPlainHTTP: Bool {
    guard status == .badRequest, details.response?.url.scheme?.lowercased() == "http", let body = details.responseBody
    else { return false }
    let text = String(decoding: body.prefix(4_096), as: UTF8.self)
    return [
      "The plain HTTP request was sent to HTTPS port", "speaking plain HTTP to an SSL-enabled server port",
      "Client sent an HTTP request to an HTTPS server",
    ].contains { text.contains($0) }
  }
}

extension ServerTrustError.Reason {
  /// A sentence that says what to do; nil if nothing general can be said.
  ///
  /// No advice makes an app trust a server that it should not trust.
  fileprivate var advice: String? {
    switch self {
    case .untrusted:
      "If the server is your own, such as one for development, get its certificate or that of its authority from where it was made,"
        + " and trust it alone: `policy.anchors = .only(try Certificate.all(inFile: path))` of a `SecurityPolicy`."
    case .expired: "The server needs a new certificate; check this machine's clock, too."
    case .notYetValid: "Check this machine's clock."
    case .hostMismatch:
      "Check the host in the URL; a certificate is only valid for the names and addresses that it contains."
    case .pinMismatch:
      "Someone may be between this machine and the server: ask the server's operator, over another way, which key it has now."
    case .revoked: "Its authority withdrew the certificate, so the server needs a new one."
    case .revocationUnknown: "Give a current and full list, or have the server staple a current response."
    case .weak: "The server needs a certificate with stronger keys and signatures."
    case .constraint: "The server needs a certificate that may be used for this."
    default: nil
    }
  }
}

extension NetworkError: CustomStringConvertible {
  /// The request, what happened, what to do about it, the kind, the stage and the attempts if there were several, without secrets.
  ///
  /// The request is its method and its URL without user information, query and fragment:
  ///
  /// ```
  /// GET https://example.com/birds/7: The server answered 404 Not Found. (unacceptable-status, while validating the response)
  /// ```
  public var description: String {
    let advice = advice.map { " " + $0 } ?? ""
    let attempts = details.attempts > 1 ? ", after \(details.attempts) attempts" : ""
    return "\(sentence)\(advice) (\(kind.rawValue), while \(stage.phrase)\(attempts))"
  }

  /// The request and what happened, without advice, kind and stage.
  package var sentence: String { requestName.map { "\($0): \(message)" } ?? message }

  /// The method and URL of the request, and the URL of the response if redirects led elsewhere; nil if neither is known.
  private var requestName: String? {
    let answered = details.response.map { Redaction.name(of: $0.url) }
    guard let request = details.request else { return answered }
    let asked = Redaction.name(of: request.url)
    let name = "\(request.method.rawValue) \(asked)"
    return answered.map { $0 == asked ? name : "\(name), redirected to \($0)" } ?? name
  }

  /// Returns this error with the request that failed, unless it already has one.
  package func naming(_ request: Request) -> NetworkError {
    guard details.request == nil else { return self }
    return with { $0.request = request }
  }
}

extension NetworkError {
  /// Creates the error of a timeout that passed, whose message has the time.
  ///
  /// - Parameters:
  ///   - kind: `connectTimedOut`, `idleTimedOut` or `timedOut`.
  ///   - stage: How far the request had come.
  ///   - timeouts: The timeouts of the request.
  public static func timeout(_ kind: Kind, stage: Stage, of timeouts: Timeouts) -> NetworkError {
    let (text, time): (String, Duration?) =
      switch kind {
      case .connectTimedOut: ("The connection was not established within its timeout", timeouts.connect)
      case .idleTimedOut: ("No byte was sent or received within the idle timeout", timeouts.idle)
      default: ("The attempt took longer than its total timeout", timeouts.total)
      }
    return NetworkError(kind, stage: stage, message: text + (time.map { " of \($0 / .seconds(1)) s" } ?? "") + ".")
  }
}

extension NetworkError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
  /// The message, which the description contains.
  public var failureReason: String? { message }
  /// The advice, which the description contains.
  public var recoverySuggestion: String? { advice }
}

extension Redaction {
  /// The longest URL in a description, in characters.
  private static let longestName = 200

  /// Returns a URL as descriptions show it: without user information, query and fragment.
  ///
  /// What is left can still have secrets, in the parameters of its path; they are replaced.
  package static func name(of url: URL) -> String {
    var text = url.absoluteString
    if let userInformation = standard.userInformation(in: text) { text.removeSubrange(userInformation) }
    let name = standard.redacted(reference: String(text.unicodeScalars.prefix { $0 != "?" && $0 != "#" }))
    return name.count <= longestName ? name : name.prefix(longestName) + "…"
  }
}
