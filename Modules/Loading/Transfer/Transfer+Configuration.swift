public import CurlewCore

extension Transfer {
  /// What a transfer requests, where the body goes, and what value it makes.
  public struct Configuration: Sendable {
    /// Creates the request of an attempt.
    public var request: @Sendable (AttemptContext) async throws -> Request
    /// The destination of the body.
    public var sink: any TransferSink
    /// Checks a head before anything is stored, and throws to reject it.
    ///
    /// Nil accepts every head that the sink accepts.
    ///
    /// The start of the body is added to an error of kind `unacceptableStatus` or `unacceptableContentType`.
    public var validate: (@Sendable (ResponseHead, Request) async throws -> Void)?
    /// Makes the value from a complete body; throws to fail the attempt.
    public var decode: @Sendable (TransferResult) async throws -> Value
    /// Decides about other attempts; nil retries only if `shouldRetry` says so.
    public var retry: RetryPolicy?
    /// Called after each attempt, with the value of a success.
    ///
    /// Nil leaves it to the policy.
    ///
    /// With a policy, its answer is subject to the policy's limits; where they allow no retry
    /// (`TransferAttempt.allowsRetry`), only `.restart` makes another attempt. It is not called after a cancellation.
    /// It may take its time; cancelling the transfer cancels its task.
    public var shouldRetry: (@Sendable (TransferAttempt, Value?) async -> RetryDecision)?
    /// Whether `shouldRetry` is called only after failures, unless a policy needs to know of each attempt.
    ///
    /// This saves a successful attempt the decision and its task.
    package var asksOnlyAfterFailures = false
    /// What happens to the connection while the transfer is paused.
    public var pausing = PausePolicy.hold
    /// The most bytes of a rejected response's body that its error keeps.
    ///
    /// At most `NetworkError.keptBodyBytes`.
    public var errorBodyLimit = TransferValidation.errorBodyLimit
    /// The settings of the exchange, including its deadline; nil means the loader's.
    public var settings: ExchangeSettings? {
      get { sharedSettings?.settings }
      set { sharedSettings = newValue.map { Exchange.SharedSettings($0) } }
    }
    /// The settings in the form that exchanges share.
    package var sharedSettings: Exchange.SharedSettings?
    /// Whether another attempt is possible without a new body.
    package var isReplayable = true
    /// Where the progress is published; nil creates boards.
    package var boards: TransferBoards?

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - request: Creates the request; called once for each attempt.
    ///   - sink: The destination of the body.
    ///   - decode: Makes the value.
    public init(
      request: @escaping @Sendable (AttemptContext) async throws -> Request, to sink: any TransferSink,
      decode: @escaping @Sendable (TransferResult) async throws -> Value
    ) {
      self.request = request
      self.sink = sink
      self.decode = decode
    }

    /// Creates a configuration that sends the same request in each attempt.
    ///
    /// For a body that can only be sent once, `ExchangeHooks.newBody` is asked for another; without one the attempt
    /// fails with `bodyNotReplayable`. A policy makes no such attempt.
    public init(
      _ request: Request, to sink: any TransferSink, settings: ExchangeSettings? = nil,
      decode: @escaping @Sendable (TransferResult) async throws -> Value
    ) {
      self.init(request: RepeatedRequest.make(request), to: sink, decode: decode)
      if let settings { self.settings = settings }
      isReplayable = request.body.isReplayable
    }
  }
}

extension Transfer where Value == TransferResult {
  /// Creates a transfer whose value is the head and the content of the body.
  public convenience init(
    _ loader: consuming Loader, _ request: Request, to sink: any TransferSink, settings: ExchangeSettings? = nil
  ) {
    self.init(loader, Configuration(request, to: sink, settings: settings) { $0 })
  }
}

/// Creates the same request for each attempt, with a new body if necessary.
enum RepeatedRequest {
  static func make(_ request: Request) -> @Sendable (AttemptContext) async throws -> Request {
    { attempt in
      guard attempt.number > 1, !request.body.isReplayable else { return request }
      var request = request
      guard let body = try await attempt.newBody?(request) else {
        throw NetworkError(
          .bodyNotReplayable, stage: .preparing,
          message: "The body can only be sent once, and the newBody hook provided no other.",
          underlying: attempt.previous?.error)
      }
      request.body = body
      return request
    }
  }
}
