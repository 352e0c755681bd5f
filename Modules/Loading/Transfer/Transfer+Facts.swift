public import CurlewCore

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
