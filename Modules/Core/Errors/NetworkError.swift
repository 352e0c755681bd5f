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

  /// Whether the same request could succeed later; it says nothing about whether repeating it is safe.
  ///
  /// It is true for the errors that the conditions of a `RetryPolicy` include by default: the statuses 408, 429 and 5xx, and temporary
  /// failures on the way. It is the same for every method, so it is also true for a POST that was answered with 503. The policy does
  /// not repeat that POST unless `options.isIdempotent` is set or it has an `Idempotency-Key`, because the server may have processed
  /// it (`maybeProcessed`).
  public var isRetryable: Bool {
    kind == .unacceptableStatus
      ? status.map { Self.temporaryStatuses.contains($0.code) } ?? false : Self.temporaryKinds.contains(kind)
  }

  /// The statuses of temporary failures: 408 (RFC 9110 §15.5.9), 429 (RFC 6585 §4) and 5xx.
  package static let temporaryStatuses = Set(500...599).union([408, 429])

  /// The kinds of temporary failures.
  ///
  /// A whole response whose value cannot be decoded is not one: the server would send it again.
  package static let temporaryKinds: Set<Kind> = [
    .nameLookupFailed, .connectionFailed, .connectTimedOut, .connectionLost, .idleTimedOut, .timedOut, .streamReset,
    .proxyFailed, .resourceExhausted, .truncatedBody, .contentDecodingFailed,
  ]

  static let bodyAlreadyRead = NetworkError(
    .bodyAlreadyRead, stage: .receivingBody, message: "The body was already read; it can only be read once.")
}

/// Lets a broken download continue; created by CurlewDownload.
public protocol ResumableHandle: Sendable {
  /// The number of bytes that are safely stored.
  var completedBytes: Int64 { get }
}
