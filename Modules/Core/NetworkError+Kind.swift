extension NetworkError {
  /// What went wrong. More kinds may come.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The value that stands for it.
    public var rawValue: String
    /// Makes one of the value that stands for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    // Refused before anything was sent.

    /// The URL is not an absolute `http` or `https` URL, or two parsers read it differently.
    public static let invalidURL = Kind(rawValue: "invalid-url")
    /// The request cannot be written: a method, field or option is not what the protocol allows.
    public static let invalidRequest = Kind(rawValue: "invalid-request")
    /// The transport lacks what the request needs (`details.missing`).
    public static let unsupported = Kind(rawValue: "unsupported")
    /// The transport was shut down.
    public static let transportShutDown = Kind(rawValue: "transport-shut-down")
    /// The process has no descriptor, thread or memory left for it.
    public static let resourceExhausted = Kind(rawValue: "resource-exhausted")
    /// The network is not one the request may use.
    public static let networkNotAllowed = Kind(rawValue: "network-not-allowed")

    // On the way to the server.

    /// The host's or proxy's name has no address.
    public static let nameLookupFailed = Kind(rawValue: "name-lookup-failed")
    /// No address accepted a connection.
    public static let connectionFailed = Kind(rawValue: "connection-failed")
    /// Lookup, connection and handshake took longer than `Timeouts.connect`.
    public static let connectTimedOut = Kind(rawValue: "connect-timed-out")
    /// The TLS handshake failed for another reason than trust.
    public static let handshakeFailed = Kind(rawValue: "handshake-failed")
    /// The server's certificates are not trusted (`details.trust`).
    public static let serverTrustRefused = Kind(rawValue: "server-trust-refused")
    /// The client identity cannot be read, or the server refused it.
    public static let clientIdentityFailed = Kind(rawValue: "client-identity-failed")
    /// The proxy failed, or refused.
    public static let proxyFailed = Kind(rawValue: "proxy-failed")
    /// The proxy refused a tunnel until it is given credentials (`details.proxyChallenges`).
    public static let proxyChallenge = Kind(rawValue: "proxy-challenge")

    // During the exchange.

    /// The connection went away before the response was complete enough to be one.
    public static let connectionLost = Kind(rawValue: "connection-lost")
    /// No byte came or went for `Timeouts.idle`.
    public static let idleTimedOut = Kind(rawValue: "idle-timed-out")
    /// The attempt took longer than `Timeouts.total`, or the exchange passed its deadline.
    public static let timedOut = Kind(rawValue: "timed-out")
    /// What the server sent is not HTTP.
    public static let protocolViolation = Kind(rawValue: "protocol-violation")
    /// The header section is larger, or has more fields, than allowed; or too many 1xx heads came.
    public static let headerLimitExceeded = Kind(rawValue: "header-limit-exceeded")
    /// The server reset or refused the HTTP/2 stream.
    public static let streamReset = Kind(rawValue: "stream-reset")

    // In the body.

    /// The body ended before its announced end.
    public static let truncatedBody = Kind(rawValue: "truncated-body")
    /// The body is larger than the limit.
    public static let bodyTooLarge = Kind(rawValue: "body-too-large")
    /// The content coding cannot be undone.
    public static let contentDecodingFailed = Kind(rawValue: "content-decoding-failed")
    /// The body inflates, or arrives, faster than its slow reader takes it, past the limit.
    public static let bufferLimitExceeded = Kind(rawValue: "buffer-limit-exceeded")
    /// A response body can be read once.
    public static let bodyAlreadyRead = Kind(rawValue: "body-already-read")
    /// The sink that took the body threw.
    public static let sinkFailed = Kind(rawValue: "sink-failed")

    // In the request's body.

    /// The body is needed again and can be sent once.
    public static let bodyNotReplayable = Kind(rawValue: "body-not-replayable")
    /// The body is longer or shorter than was announced.
    public static let bodyLengthMismatch = Kind(rawValue: "body-length-mismatch")
    /// The source of the body threw.
    public static let bodySourceFailed = Kind(rawValue: "body-source-failed")
    /// A file cannot be opened, read or written.
    public static let fileError = Kind(rawValue: "file-error")

    // Above the transport.

    /// More redirects than allowed, or in a circle.
    public static let tooManyRedirects = Kind(rawValue: "too-many-redirects")
    /// The redirect cannot be followed.
    public static let invalidRedirect = Kind(rawValue: "invalid-redirect")
    /// The status is not acceptable.
    public static let unacceptableStatus = Kind(rawValue: "unacceptable-status")
    /// The media type is not acceptable.
    public static let unacceptableContentType = Kind(rawValue: "unacceptable-content-type")
    /// The body could not be made a value.
    public static let serializationFailed = Kind(rawValue: "serialization-failed")
    /// The challenge could not be answered.
    public static let authenticationFailed = Kind(rawValue: "authentication-failed")
    /// Only a stored response was allowed, and there is none.
    public static let notInCache = Kind(rawValue: "not-in-cache")
    /// A defect of Curlew's own; please report it.
    public static let `internal` = Kind(rawValue: "internal")
  }

  /// How far a request had come.
  public enum Stage: String, Sendable, Hashable, CaseIterable {
    /// Before anything left the process.
    case preparing
    /// In the transport's queue.
    case queued
    /// Looking up a name.
    case resolving
    /// Connecting, to the server or through a proxy.
    case connecting
    /// In the TLS handshake.
    case securing
    /// Sending the request.
    case sending
    /// Waiting for the final head.
    case awaitingHead = "awaiting-head"
    /// Receiving the body.
    case receivingBody = "receiving-body"
    /// Looking at status and media type.
    case validating
    /// Making a value of the body.
    case decoding

    /// The stage as words in a sentence.
    var phrase: String {
      switch self {
      case .preparing: "preparing the request"
      case .queued: "waiting in the queue"
      case .resolving: "looking up the name"
      case .connecting: "connecting"
      case .securing: "in the TLS handshake"
      case .sending: "sending the request"
      case .awaitingHead: "waiting for the response"
      case .receivingBody: "receiving the body"
      case .validating: "validating the response"
      case .decoding: "decoding the body"
      }
    }
  }
}
