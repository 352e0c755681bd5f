public import FoundationEssentials

/// Why a request failed.
///
/// One error type for every transport and every stage. What the error knows grows with how far the request came. Its
/// description shows no secret: it has neither fields nor bodies, and messages never quote a credential. `details` have all
/// that was known; `Redaction.redacted` narrows them for a log. A cancelled request ends in `CancellationError` instead.
public struct NetworkError: Error, Sendable {
  // Boxed, so that throwing and storing it costs one reference.
  private final class Storage: Sendable {
    let details: Details
    init(_ details: Details) { self.details = details }
  }

  /// What an error knows.
  public struct Details: Sendable {
    /// What went wrong.
    public var kind: Kind
    /// How far the request had come.
    public var stage: Stage
    /// One sentence: what failed, and what to do where something can be done.
    public var message: String
    /// The request as it was sent, where one was.
    public var request: Request?
    /// The response's head, where one came.
    public var response: ResponseHead?
    /// The beginning of the response's body, at most `keptBodyBytes`, where it was read and then refused.
    public var responseBody: Data?
    /// Bytes of the request's body the kernel took.
    public var bytesSent: Int64 = 0
    /// Bytes of the response's body that arrived, still coded.
    public var bytesReceived: Int64 = 0
    /// Whether the connection had been used before; nil when there was none, or it is not known.
    public var connectionReused: Bool?
    /// Whether the server may have acted on the request: false only when it certainly has not.
    public var maybeProcessed = false
    /// The server trust that was refused, and why.
    public var trust: ServerTrustError?
    /// The proxy's challenge, when a tunnel was refused with 407.
    public var proxyChallenges: [Challenge] = []
    /// What a transport lacks, for `unsupported`.
    public var missing: TransportCapabilities = []
    /// Where a broken download can go on; nil when it cannot.
    public var resumption: (any ResumableHandle)?
    /// The cause below, where there is one.
    public var underlying: (any Error)?
    /// The transport's own number for it, for reports (libcurl's `CURLcode`); nil where there is none.
    public var transportCode: Int?
  }

  private var storage: Storage

  /// What the error knows.
  public var details: Details {
    get { storage.details }
    set { storage = Storage(newValue) }
  }

  /// Makes an error.
  ///
  /// - Parameter message: One sentence, without secrets.
  public init(_ kind: Kind, stage: Stage, message: String, underlying: (any Error)? = nil) {
    storage = Storage(Details(kind: kind, stage: stage, message: message, underlying: underlying))
  }

  /// Makes an error of all it knows.
  public init(_ details: Details) { storage = Storage(details) }

  /// This error with some of its details changed.
  public func with(_ change: (inout Details) -> Void) -> NetworkError {
    var details = details
    change(&details)
    return NetworkError(details)
  }

  /// The most bytes of a refused body that an error keeps: 1 MiB.
  public static let keptBodyBytes = 1 << 20

  /// What went wrong.
  public var kind: Kind { storage.details.kind }
  /// How far the request had come.
  public var stage: Stage { storage.details.stage }
  /// One sentence.
  public var message: String { storage.details.message }
  /// Whether the server may have acted on the request: false only when it certainly has not.
  public var maybeProcessed: Bool { storage.details.maybeProcessed }

  /// Whether something took too long.
  public var isTimeout: Bool { kind == .connectTimedOut || kind == .idleTimedOut || kind == .timedOut }

  /// Whether the same request could succeed if it were sent again; says nothing on whether that is safe.
  public var isRetryable: Bool {
    switch kind {
    case .nameLookupFailed, .connectionFailed, .connectTimedOut, .idleTimedOut, .timedOut, .connectionLost,
      .truncatedBody, .resourceExhausted, .contentDecodingFailed:
      return true
    default: return false
    }
  }

  static let bodyAlreadyRead = NetworkError(
    .bodyAlreadyRead, stage: .receivingBody, message: "The body was read before; it can be read once.")
}

/// Lets a broken download go on where it stopped; made by CurlewDownload.
public protocol ResumableHandle: Sendable {
  /// How many bytes are safe.
  var completedBytes: Int64 { get }
}

extension NetworkError: CustomStringConvertible {
  /// The message, with the stage.
  public var description: String { "\(message) (\(kind.rawValue), while \(stage.phrase))" }
}
