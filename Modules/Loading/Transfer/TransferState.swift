public import CurlewCore
public import FoundationEssentials
public import HTTPTypes

/// Where a transfer is in its life.
public enum TransferState: String, Sendable, Hashable, CaseIterable {
  /// Not started.
  case ready
  /// At work, or waiting to try again.
  case running
  /// Halted until it is resumed or cancelled.
  case paused
  /// Over, for good.
  case finished
}

/// How a transfer ended; there is exactly one for each.
public enum TransferOutcome<Value: Sendable>: Sendable {
  /// It made its value.
  case success(Value)
  /// The last attempt failed.
  case failure(any Error)
  /// It was cancelled.
  case cancelled

  /// The value.
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

/// Why an attempt is made.
public enum AttemptReason: String, Sendable, Hashable, CaseIterable {
  /// It is the first one.
  case first
  /// The app's policy decided to try again.
  case retry
  /// The transfer was resumed, and its connection had been given up or lost meanwhile.
  case resumption
}

/// One attempt of a transfer, for its history.
public struct TransferAttempt: Sendable {
  /// 1….
  public var number: Int
  /// Why it was made.
  public var reason: AttemptReason
  /// When it began.
  public var began: ContinuousClock.Instant
  /// When the first attempt of its transfer began; what a budget of time is counted from.
  public var transferBegan: ContinuousClock.Instant
  /// When it ended; nil while it goes on.
  public var ended: ContinuousClock.Instant?
  /// The request as it was made for this attempt; nil before.
  public var request: Request?
  /// The final head; nil before.
  public var response: ResponseHead?
  /// Bytes of the body that its sink took.
  public var bytesReceived: Int64 = 0
  /// Why it failed; nil while it goes on and when it succeeded.
  public var error: (any Error)?
  /// Whether the server may have acted on the request: false only when it certainly has not.
  ///
  /// Known at the end, and over all hops: a redirect that leads to a host that cannot be reached was acted on.
  public var maybeProcessed = false
  /// How many retries came before, this one included, 0…; resumptions are none.
  public var retries = 0
  /// How long the transfer waited before it.
  public var waited = Duration.zero
  /// The measurements, one for each hop that was sent.
  public var metrics: [ExchangeMetrics] = []

  /// Makes the record of an attempt, as tests of retry policies need it.
  public init(
    number: Int, reason: AttemptReason, began: ContinuousClock.Instant, transferBegan: ContinuousClock.Instant,
    request: Request? = nil, error: (any Error)? = nil
  ) {
    self.number = number
    self.reason = reason
    self.began = began
    self.transferBegan = transferBegan
    self.request = request
    self.error = error
  }

  /// How long it took; nil while it goes on.
  public var duration: Duration? { ended.map { began.duration(to: $0) } }
}

/// What an attempt is told before its request is made.
public struct AttemptContext: Sendable {
  /// 1….
  public var number: Int
  /// Why it is made.
  public var reason: AttemptReason
  /// The one before; nil for the first.
  public var previous: TransferAttempt?

  /// Makes a context, as tests of sinks and of requests that are made anew need it.
  public init(number: Int = 1, reason: AttemptReason = .first, previous: TransferAttempt? = nil) {
    self.number = number
    self.reason = reason
    self.previous = previous
  }
}

/// What a transfer brought, as it is handed to the decoding hook.
public struct TransferResult: Sendable {
  /// The head.
  public var head: ResponseHead
  /// Where the body is.
  public var content: TransferContent
  /// The trailer fields; nil when there were none.
  public var trailers: HTTPFields?

  /// Makes a result, as tests of decoding hooks need it.
  public init(head: ResponseHead, content: TransferContent, trailers: HTTPFields? = nil) {
    self.head = head
    self.content = content
    self.trailers = trailers
  }
}

/// Where the body of a transfer is.
public enum TransferContent: Sendable, Hashable {
  /// In memory.
  case data(Data)
  /// In a file.
  case file(path: String)
  /// With the app's own sink.
  case taken

  /// The bytes, where they are in memory; else nil.
  public var data: Data? {
    if case .data(let data) = self { data } else { nil }
  }
}
