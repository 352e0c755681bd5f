public import FoundationEssentials

/// The error of a failed request.
///
/// It is the error type of every transport and stage, and contains all that was known when the request failed. Its description
/// shows no secret: it includes neither fields nor bodies, and messages never quote a credential. `details` contains
/// everything; `Redaction.redacted` removes secrets before logging. A cancelled request throws `CancellationError` instead.
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
    /// A sentence that says what failed, and what to do about it if possible.
    public var message: String
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
    /// The rejected server trust, with the reason.
    public var trust: ServerTrustError?
    /// The proxy's challenges when it rejected a tunnel with 407.
    public var proxyChallenges: [Challenge] = []
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
  }

  private var storage: Storage

  /// Everything that is known about the failure.
  public var details: Details {
    get { storage.details }
    set { storage = Storage(newValue) }
  }

  /// Creates an error.
  ///
  /// - Parameter message: A sentence without secrets.
  public init(_ kind: Kind, stage: Stage, message: String, underlying: (any Error)? = nil) {
    storage = Storage(Details(kind: kind, stage: stage, message: message, underlying: underlying))
  }

  /// Creates an error from its details.
  public init(_ details: Details) { storage = Storage(details) }

  /// Returns this error with some details changed.
  public func with(_ change: (inout Details) -> Void) -> NetworkError {
    var details = details
    change(&details)
    return NetworkError(details)
  }

  /// The most bytes of a rejected body that an error keeps: 1 MiB.
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

  /// Whether the same request could succeed later; says nothing about safety.
  public var isRetryable: Bool {
    switch kind {
    case .nameLookupFailed, .connectionFailed, .connectTimedOut, .idleTimedOut, .timedOut, .connectionLost,
      .truncatedBody, .resourceExhausted, .contentDecodingFailed:
      return true
    default: return false
    }
  }

  static let bodyAlreadyRead = NetworkError(
    .bodyAlreadyRead, stage: .receivingBody, message: "The body was already read; it can only be read once.")
}

/// Lets a broken download continue; created by CurlewDownload.
public protocol ResumableHandle: Sendable {
  /// The number of bytes that are safely stored.
  var completedBytes: Int64 { get }
}

extension NetworkError: CustomStringConvertible {
  /// The message, the kind and the stage.
  public var description: String { "\(message) (\(kind.rawValue), while \(stage.phrase))" }
}
