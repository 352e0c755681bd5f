public import CurlewCore

/// One logical request that can be started, paused, resumed, cancelled and retried.
///
/// It is the common engine of session tasks, operations, `Connection` and downloads. It makes attempts, one at a time,
/// each with a request of its own, and ends with exactly one outcome, after which nothing more happens. Every method
/// may be called from any isolation at any time; a call that is not allowed in the current state returns false and
/// changes nothing.
///
/// When the last reference is released, a running transfer continues to its end; one that is ready or paused is
/// cancelled.
///
/// ```swift
/// let transfer = Transfer(loader, request, to: .memory(limit: 1 << 20))
/// let result = try await transfer.run()
/// ```
public final class Transfer<Value: Sendable>: Sendable {
  let engine: TransferEngine
  let slot: ValueSlot<Value>

  /// Creates a transfer that waits for `start`.
  public init(_ loader: consuming Loader, _ configuration: consuming Configuration) {
    slot = ValueSlot()
    engine = TransferEngine(loader, TransferPlan(configuration, into: slot))
  }

  deinit { engine.abandon() }

  /// Starts the first attempt.
  ///
  /// - Returns: Whether it was ready; a paused transfer stays paused.
  @discardableResult
  public func start() -> Bool { engine.send(.start) }

  /// Pauses it in both directions.
  ///
  /// Nothing is read, so that the socket fills and the server stops sending, and no more of the request's body is sent,
  /// except for what is already in buffers.
  ///
  /// If an attempt ends while the transfer is paused, its outcome is reported after `resume`. `Configuration.pausing`
  /// decides what happens to the connection. A delay between two attempts continues.
  ///
  /// - Returns: Whether it was ready or running.
  @discardableResult
  public func pause() -> Bool { engine.send(.pause) }

  /// Resumes it; starts another attempt if the connection was released or lost.
  ///
  /// - Returns: Whether it was paused.
  @discardableResult
  public func resume() -> Bool { engine.send(.resume) }

  /// Cancels it at once, in any state.
  ///
  /// The outcome is known when this returns, unless the sink releases something first, as that of a download does. Work that was
  /// running ends afterwards; `settled` waits for that.
  ///
  /// - Returns: Whether it was not finished yet.
  @discardableResult
  public func cancel() -> Bool { engine.send(.cancel) }

  /// The current state.
  public var state: TransferState { engine.state.withLock { $0.machine.state } }

  /// The outcome; nil before the end.
  public var outcome: TransferOutcome<Value>? { engine.outcome.map { slot.outcome($0) } }

  /// The value; waits for it and does not start the transfer.
  ///
  /// Cancelling the waiting task only ends the wait, not the transfer.
  ///
  /// - Throws: The transfer's error; `CancellationError` when the transfer or the waiting task was cancelled.
  public var value: Value {
    get async throws {
      try await engine.finished(leavesWhenCancelled: true)
      return try slot.get()
    }
  }

  /// Starts it if it is ready, and waits for the value.
  ///
  /// Cancelling the task cancels the transfer.
  ///
  /// - Throws: The transfer's error; `CancellationError` when it was cancelled.
  public nonisolated(nonsending) func run() async throws -> Value {
    try await engine.run()
    return try slot.get()
  }

  /// Waits until the transfer has finished and none of its attempts, hooks and writes is running.
  ///
  /// Await it before reusing a file that a cancelled transfer has written.
  public func settled() async {
    try? await engine.finished(leavesWhenCancelled: false)
    await engine.settled()
  }

  /// Waits until the pause has released the writer, or the transfer has settled.
  ///
  /// With `PausePolicy.release` it returns after the writer has received `abandon`: from then on nothing is written. With
  /// `PausePolicy.hold`, and for a request that cannot be repeated, the paused attempt keeps its connection and its writer, and
  /// the method returns at once. The transfer's own hooks and sinks must not await it, because it would wait for them.
  /// Cancelling the waiting task does not end the wait.
  public func halted() async { await engine.halted() }
}

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
    /// (`TransferAttempt.allowsRetry`), only `.restart` makes another attempt. It is not called after a cancellation,
    /// nor where a range was useless and its file is requested anew. It may take its time; cancelling the transfer
    /// cancels its task.
    public var shouldRetry: (@Sendable (TransferAttempt, Value?) async -> RetryDecision)?
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
package enum RepeatedRequest {
  package static func make(_ request: Request) -> @Sendable (AttemptContext) async throws -> Request {
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

extension Transfer {
  /// The request of the latest attempt; nil before it was created.
  public var request: Request? { engine.state.withLock { $0.attempts.last?.request } }

  /// The latest head of any attempt; nil before the first.
  public var response: ResponseHead? { engine.state.withLock { $0.response } }

  /// The error of the transfer or of its latest attempt; nil without a failure.
  public var error: (any Error)? { engine.state.withLock { $0.outcome?.error ?? $0.attempts.last?.error } }

  /// How another transfer can resume; nil before the end, and if nothing is kept.
  ///
  /// It is there after a failure and after a cancellation. The error of a failure contains the same handle.
  public var resumption: (any ResumableHandle)? { engine.state.withLock { $0.resumption } }

  /// The sink; nil after the end, unless it had something to release.
  package var sink: (any TransferSink)? { engine.state.withLock { $0.plan?.sink ?? $0.sink } }

  /// Records that the kept bytes were removed.
  package func forgetResumption() { engine.state.withLock { $0.resumption = nil } }

  /// The attempts so far, oldest first; only the newest 100 are kept.
  public var attempts: [TransferAttempt] {
    let (attempts, exchange) = engine.state.withLock { ($0.attempts, $0.exchange) }
    let metrics = Dictionary(grouping: exchange?.metrics ?? [], by: \.attempt)
    return attempts.map { attempt in
      var attempt = attempt
      attempt.metrics = metrics[attempt.number] ?? []
      return attempt
    }
  }

  /// The number of attempts so far.
  public var attemptCount: Int { engine.state.withLock { $0.attemptCount } }

  /// The time from the first attempt's start to the end, or until now.
  ///
  /// Delays and pauses count. Zero before the first attempt.
  public var totalTime: Duration {
    let now = Moment(engine.clock.now)
    return engine.state.withLock { state in
      state.began.map { $0.duration(to: state.ended ?? now) } ?? .zero
    }
  }

  /// The metrics so far, one for each attempt and hop that was sent.
  public var metrics: [ExchangeMetrics] { engine.state.withLock { $0.exchange }?.metrics ?? [] }

  /// The identity of the logical request in events; nil before the first attempt.
  public var exchangeID: Exchange.ID? { engine.state.withLock { $0.exchange?.id } }

  /// The progress of the response's body.
  public var downloadProgress: TransferProgressSequence { TransferProgressSequence(board: engine.download) }

  /// The progress of the request's body.
  public var uploadProgress: TransferProgressSequence { TransferProgressSequence(board: engine.upload) }

  /// The app's own values; later attempts find them in their exchange.
  public subscript<Key: UserInfoKey>(key: Key.Type) -> Key.Value? {
    get { engine.state.withLock { $0.userInfo[key] } }
    set {
      // The old value is released outside the lock.
      _ = engine.state.withLock { state in
        let old = state.userInfo
        state.userInfo[key] = newValue
        state.hasNewUserInfo = true
        return old
      }
    }
  }

  /// Replaces the app's own values; later attempts find them in their exchange.
  package func replaceUserInfo(_ userInfo: UserInfo) {
    // The old values are released outside the lock.
    _ = engine.state.withLock { state in
      let old = state.userInfo
      state.userInfo = userInfo
      state.hasNewUserInfo = true
      return old
    }
  }

  /// Calls a handler once with the outcome, also if it is already known.
  public func onFinish(
    on executor: CallbackExecutor, _ handler: @escaping @Sendable (TransferOutcome<Value>) -> Void
  ) {
    onEnd { outcome in executor.run { handler(outcome) } }
  }

  /// Calls a handler once with the outcome, on the thread that ends the transfer or, if it has ended, on this one.
  package func onEnd(_ handler: @escaping @Sendable (TransferOutcome<Value>) -> Void) {
    engine.onFinish { [slot] outcome in handler(slot.outcome(outcome)) }
  }

  /// Calls a handler with each state that is entered from now on, in order.
  public func onStateChange(on executor: CallbackExecutor, _ handler: @escaping @Sendable (TransferState) -> Void) {
    engine.state.withLock { state in
      guard state.machine.state != .finished else { return }
      state.stateHandlers.append { entered in executor.run { handler(entered) } }
    }
  }
}
