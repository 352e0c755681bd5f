extension NetworkError {
  /// The kinds of failure; later versions may add more.
  public struct Kind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The value that identifies the kind.
    public var rawValue: String
    /// Creates a kind from its value.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The value.
    public var description: String { rawValue }

    // Rejected before anything was sent.

    /// The URL is not absolute `http` or `https`, or parsers interpret it differently.
    public static let invalidURL = Kind(rawValue: "invalid-url")
    /// The protocol does not allow the method, a field or an option.
    public static let invalidRequest = Kind(rawValue: "invalid-request")
    /// The transport lacks a capability that the request needs (`details.missing`).
    public static let unsupported = Kind(rawValue: "unsupported")
    /// The transport was shut down.
    public static let transportShutDown = Kind(rawValue: "transport-shut-down")
    /// The process has no descriptor, thread or memory left.
    public static let resourceExhausted = Kind(rawValue: "resource-exhausted")
    /// The request may not use the current network.
    public static let networkNotAllowed = Kind(rawValue: "network-not-allowed")

    // On the way to the server.

    /// The host's or proxy's name has no address.
    public static let nameLookupFailed = Kind(rawValue: "name-lookup-failed")
    /// No address accepted a connection.
    public static let connectionFailed = Kind(rawValue: "connection-failed")
    /// Lookup, connection and handshake took longer than `Timeouts.connect`.
    public static let connectTimedOut = Kind(rawValue: "connect-timed-out")
    /// The TLS handshake failed for a reason other than trust.
    public static let handshakeFailed = Kind(rawValue: "handshake-failed")
    /// The server's certificates are not trusted (`details.trust`).
    public static let serverTrustRefused = Kind(rawValue: "server-trust-refused")
    /// The client identity cannot be read, or the server rejected it.
    public static let clientIdentityFailed = Kind(rawValue: "client-identity-failed")
    /// The proxy failed or rejected the request.
    public static let proxyFailed = Kind(rawValue: "proxy-failed")
    /// The proxy requires credentials for a tunnel (`details.proxyChallenges`).
    public static let proxyChallenge = Kind(rawValue: "proxy-challenge")

    // During the exchange.

    /// The connection was lost before the response was complete.
    public static let connectionLost = Kind(rawValue: "connection-lost")
    /// No byte was sent or received for `Timeouts.idle`.
    public static let idleTimedOut = Kind(rawValue: "idle-timed-out")
    /// The attempt exceeded `Timeouts.total`, or the exchange its deadline.
    public static let timedOut = Kind(rawValue: "timed-out")
    /// The server's response is not valid HTTP.
    public static let protocolViolation = Kind(rawValue: "protocol-violation")
    /// The header section exceeds a limit, or there were too many 1xx heads.
    public static let headerLimitExceeded = Kind(rawValue: "header-limit-exceeded")
    /// The server reset or refused the HTTP/2 stream.
    public static let streamReset = Kind(rawValue: "stream-reset")

    // In the body.

    /// The body ended before its announced length.
    public static let truncatedBody = Kind(rawValue: "truncated-body")
    /// The body is larger than the limit.
    public static let bodyTooLarge = Kind(rawValue: "body-too-large")
    /// The content coding cannot be decoded.
    public static let contentDecodingFailed = Kind(rawValue: "content-decoding-failed")
    /// The coded body exceeds the limits of its decoder.
    public static let decodingLimitExceeded = Kind(rawValue: "decoding-limit-exceeded")
    /// The body arrives faster than it is read, beyond the buffer's limit.
    public static let bufferLimitExceeded = Kind(rawValue: "buffer-limit-exceeded")
    /// A response body can only be read once, and it was read before.
    public static let bodyAlreadyRead = Kind(rawValue: "body-already-read")
    /// The sink of the body failed with an error of its own type.
    ///
    /// Transports and transfers do not throw it: they throw the sink's error. It names that case in reports and retry
    /// policies.
    public static let sinkFailed = Kind(rawValue: "sink-failed")

    // In the request's body.

    /// The body is needed again, but can only be sent once.
    public static let bodyNotReplayable = Kind(rawValue: "body-not-replayable")
    /// The body is longer or shorter than announced.
    public static let bodyLengthMismatch = Kind(rawValue: "body-length-mismatch")
    /// The source of the body threw an error.
    public static let bodySourceFailed = Kind(rawValue: "body-source-failed")
    /// A file cannot be opened, read or written.
    public static let fileError = Kind(rawValue: "file-error")

    // Above the transport.

    /// There were more redirects than allowed, or a loop of them.
    public static let tooManyRedirects = Kind(rawValue: "too-many-redirects")
    /// The redirect cannot be followed.
    public static let invalidRedirect = Kind(rawValue: "invalid-redirect")
    /// The status is not acceptable.
    public static let unacceptableStatus = Kind(rawValue: "unacceptable-status")
    /// The media type is not acceptable.
    public static let unacceptableContentType = Kind(rawValue: "unacceptable-content-type")
    /// The body could not be decoded, or the parameters not be encoded.
    public static let serializationFailed = Kind(rawValue: "serialization-failed")
    /// The challenge could not be answered.
    public static let authenticationFailed = Kind(rawValue: "authentication-failed")
    /// Only a stored response was allowed, and the cache has none.
    public static let notInCache = Kind(rawValue: "not-in-cache")
    /// A defect in Curlew; please report it.
    public static let `internal` = Kind(rawValue: "internal")
  }

  /// How far the request had come.
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
    /// Checking status and media type.
    case validating
    /// Writing the body to a file.
    case writing
    /// Decoding a value from the body.
    case decoding

    /// The stage as the end of a sentence: "while" and, for example, "waiting for the response".
    public var phrase: String {
      switch self {
      case .preparing: "preparing the request"
      case .queued: "waiting in the queue"
      case .resolving: "looking up the name"
      case .connecting: "connecting"
      case .securing: "making the TLS handshake"
      case .sending: "sending the request"
      case .awaitingHead: "waiting for the response"
      case .receivingBody: "receiving the body"
      case .validating: "validating the response"
      case .writing: "writing the file"
      case .decoding: "decoding the body"
      }
    }
  }
}
