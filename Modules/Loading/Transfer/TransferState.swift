public import CurlewCore
public import FoundationEssentials
public import HTTPTypes

/// The states of a transfer.
public enum TransferState: String, Sendable, Hashable, CaseIterable {
  /// The transfer was not started yet.
  case ready
  /// The transfer is running, or waiting before a retry.
  case running
  /// The transfer is paused until it is resumed or cancelled.
  case paused
  /// The transfer has its outcome, which is final.
  case finished
}

/// The outcome of a transfer; each has exactly one.
public enum TransferOutcome<Value: Sendable>: Sendable {
  /// It produced its value.
  case success(Value)
  /// The last attempt failed.
  case failure(any Error)
  /// It was cancelled.
  case cancelled

  /// Returns the value.
  ///
  /// - Throws: The failure; `CancellationError` when it was cancelled.
  public func get() throws -> Value {
    switch self {
    case .success(let value): return value
    case .failure(let error): throw error
    case .cancelled: throw CancellationError()
    }
  }

  /// The error; nil after a success.
  public var error: (any Error)? {
    switch self {
    case .success: nil
    case .failure(let error): error
    case .cancelled: CancellationError()
    }
  }
}

/// The reason for an attempt.
public enum AttemptReason: String, Sendable, Hashable, CaseIterable {
  /// It is the first attempt.
  case first
  /// The policy or the app decided to retry.
  case retry
  /// The transfer was resumed after its connection had been released or lost.
  case resumption
  /// The app asked for a different request (`RetryDecision.restart`).
  case restart
}

/// The record of one attempt of a transfer.
public struct TransferAttempt: Sendable {
  /// The number of the attempt, from 1.
  public var number: Int
  /// The reason for the attempt.
  public var reason: AttemptReason
  /// When it started.
  public var began: ContinuousClock.Instant {
    get { beginning.instant }
    set { beginning = Moment(newValue) }
  }
  /// When the first attempt of its transfer started; a time budget counts from there.
  public var transferBegan: ContinuousClock.Instant {
    get { transferBeginning.instant }
    set { transferBeginning = Moment(newValue) }
  }
  /// When it ended; nil while it is running.
  public var ended: ContinuousClock.Instant? {
    get { end?.instant }
    set { end = newValue.map { Moment($0) } }
  }
  /// The request of this attempt; nil before it was created.
  public var request: Request?
  /// The final head; nil before it has arrived.
  public var response: ResponseHead?
  /// The number of body bytes that its sink has taken.
  public var bytesReceived: Int64 = 0
  /// Whether its sink received bytes that no earlier attempt had received.
  ///
  /// Positions in the whole content count; attempts before a restart do not.
  public var madeProgress = false
  /// The error; nil while it is running and after a success.
  public var error: (any Error)?
  /// Whether `error` is the sink's own error.
  public var isSinkFailure = false
  /// Whether the policy's limits allow a retry; true without a policy.
  ///
  /// If not, only the answer `RetryDecision.restart` leads to another attempt. It is known when the app is asked.
  public var allowsRetry = true
  /// Whether the server may have processed the request.
  ///
  /// False only if it certainly has not.
  ///
  /// It is known at the end and covers all hops: a request that was redirected to an unreachable host was processed.
  public var maybeProcessed = false
  /// The number of retries up to and including this attempt.
  ///
  /// Resumptions and restarts do not count. Progress resets it if the policy says so.
  public var retries = 0
  /// The delay before the attempt.
  public var waited = Duration.zero
  /// The metrics, one for each hop that was sent.
  public var metrics: [ExchangeMetrics] = []

  private var beginning: Moment
  private var transferBeginning: Moment
  private var end: Moment?

  /// Creates the record of an attempt, for tests of retry policies.
  public init(
    number: Int, reason: AttemptReason, began: ContinuousClock.Instant, transferBegan: ContinuousClock.Instant,
    request: Request? = nil, error: (any Error)? = nil
  ) {
    self.init(number, reason, began: Moment(began), transferBegan: Moment(transferBegan))
    self.request = request
    self.error = error
  }

  init(_ number: Int, _ reason: AttemptReason, began: Moment, transferBegan: Moment) {
    self.number = number
    self.reason = reason
    beginning = began
    transferBeginning = transferBegan
  }

  /// How long it took; nil while it is running.
  public var duration: Duration? { ended.map { began.duration(to: $0) } }
}

/// The information that an attempt's request is created with.
public struct AttemptContext: Sendable {
  typealias NewBody = @Sendable (Request) async throws -> Body?

  /// The number of the attempt, from 1.
  public var number: Int
  /// The reason for the attempt.
  public var reason: AttemptReason
  /// The previous attempt; nil for the first.
  public var previous: TransferAttempt? {
    get { stored?.attempt }
    set { stored = newValue.map { Previous($0, stored?.newBody) } }
  }
  /// Provides a body in place of one that can only be sent once; nil for the first attempt.
  var newBody: NewBody? { stored?.newBody }
  private var stored: Previous?

  /// A record on the heap, since a context is passed on often and most have none.
  private final class Previous: Sendable {
    let attempt: TransferAttempt
    let newBody: NewBody?

    init(_ attempt: TransferAttempt, _ newBody: NewBody?) {
      self.attempt = attempt
      self.newBody = newBody
    }
  }

  /// Creates a context, for tests of sinks and of request builders.
  public init(number: Int = 1, reason: AttemptReason = .first, previous: TransferAttempt? = nil) {
    self.init(number, reason, previous, nil)
  }

  init(_ number: Int, _ reason: AttemptReason, _ previous: TransferAttempt?, _ newBody: NewBody?) {
    self.number = number
    self.reason = reason
    stored = previous.map { Previous($0, newBody) }
  }
}

/// The head and content that a transfer received, for the decoding hook.
public struct TransferResult: Sendable {
  /// The head.
  public var head: ResponseHead
  /// The content of the body.
  public var content: TransferContent
  /// The trailer fields; nil without any.
  public var trailers: HTTPFields?

  /// Creates a result, for tests of decoding hooks.
  public init(head: ResponseHead, content: TransferContent, trailers: HTTPFields? = nil) {
    self.head = head
    self.content = content
    self.trailers = trailers
  }
}

/// Where the content of a transfer's body is.
public enum TransferContent: Sendable, Hashable {
  /// The content is in memory.
  case data(Data)
  /// The content is in a file.
  case file(path: String)
  /// The content was passed to the app's own sink.
  case taken

  /// The bytes, if they are in memory; otherwise nil.
  public var data: Data? {
    if case .data(let data) = self { data } else { nil }
  }
}

extension TransferResult: CustomReflectable {
  /// The result without secrets and without the bytes of its content.
  public var customMirror: Mirror {
    Mirror(
      self, children: ["head": head, "content": content, "trailers": trailers.map { Redaction.lines(of: $0) } as Any])
  }
}

extension TransferContent: CustomReflectable {
  /// The length or the path, without the bytes.
  public var customMirror: Mirror {
    switch self {
    case .data(let data): Mirror(self, children: ["length": data.count])
    case .file(let path): Mirror(self, children: ["path": path])
    case .taken: Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
  }
}

/// A point in time with a layout that is known at compile time.
///
/// `ContinuousClock.Instant` comes from a library that may still change its layout. A struct that stores one is therefore laid
/// out at run time, and each copy of the struct and each access to its fields costs calls. A `Duration` has no such cost.
struct Moment: Sendable {
  /// Any fixed point of the clock.
  private static let origin = ContinuousClock.now

  private let sinceOrigin: Duration

  init(_ instant: ContinuousClock.Instant) { sinceOrigin = Self.origin.duration(to: instant) }

  /// The same point in time.
  var instant: ContinuousClock.Instant { Self.origin.advanced(by: sinceOrigin) }

  func duration(to other: Moment) -> Duration { other.sinceOrigin - sinceOrigin }
}
