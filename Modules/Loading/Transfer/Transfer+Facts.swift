public import CurlewCore

extension Transfer {
  /// The request of the latest attempt; nil before one was made.
  public var request: Request? { engine.state.withLock { $0.attempts.last?.request } }

  /// The head of the latest attempt that got one; nil before.
  public var response: ResponseHead? { engine.state.withLock { $0.response } }

  /// Why it failed or was cancelled, or why the latest attempt failed; nil where nothing did.
  public var error: (any Error)? { engine.state.withLock { $0.outcome?.error ?? $0.attempts.last?.error } }

  /// The attempts so far, the oldest first; of more than 100 the newest.
  public var attempts: [TransferAttempt] {
    let (attempts, exchange) = engine.state.withLock { ($0.attempts, $0.exchange) }
    let metrics = Dictionary(grouping: exchange?.metrics ?? [], by: \.attempt)
    return attempts.map { attempt in
      var attempt = attempt
      attempt.metrics = metrics[attempt.number] ?? []
      return attempt
    }
  }

  /// How many attempts were begun.
  public var attemptCount: Int { engine.state.withLock { $0.attemptCount } }

  /// From the start of the first attempt to the end, or to now; waits and pauses included. Zero before the first.
  public var totalTime: Duration {
    let now = engine.clock.now
    return engine.state.withLock { state in
      state.began.map { $0.duration(to: state.ended ?? now) } ?? .zero
    }
  }

  /// The measurements so far, one for each attempt and hop that was sent.
  public var metrics: [ExchangeMetrics] { engine.state.withLock { $0.exchange }?.metrics ?? [] }

  /// Names the logical request in events; nil before the first attempt.
  public var exchangeID: Exchange.ID? { engine.state.withLock { $0.exchange?.id } }

  /// Bytes of the body that came.
  public var downloadProgress: TransferProgressSequence { TransferProgressSequence(board: engine.download) }

  /// Bytes of the request's body that went.
  public var uploadProgress: TransferProgressSequence { TransferProgressSequence(board: engine.upload) }

  /// The app's own values; attempts that begin later see them in their exchange.
  public subscript<Key: UserInfoKey>(key: Key.Type) -> Key.Value? {
    get { engine.state.withLock { $0.userInfo[key] } }
    set {
      // The old value is let go outside the lock.
      _ = engine.state.withLock { state in
        let old = state.userInfo
        state.userInfo[key] = newValue
        return old
      }
    }
  }

  /// Calls a handler with the outcome, once; one that is there already is told too.
  public func onFinish(
    on executor: CallbackExecutor, _ handler: @escaping @Sendable (TransferOutcome<Value>) -> Void
  ) {
    engine.onFinish { outcome in executor.run { handler(outcome.typed(Value.self)) } }
  }

  /// Calls a handler with each state that is entered from now on, in order.
  public func onStateChange(on executor: CallbackExecutor, _ handler: @escaping @Sendable (TransferState) -> Void) {
    engine.state.withLock { state in
      guard state.machine.state != .finished else { return }
      state.stateHandlers.append { entered in executor.run { handler(entered) } }
    }
  }
}
