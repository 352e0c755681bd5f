public import CurlewCore
public import CurlewLoading

extension SessionTask {
  /// The request that the task was made with.
  ///
  /// Nil if it could not be created, and if a builder creates it and has not been called yet.
  public final var originalRequest: Request? { core.state.withLock { $0.originalRequest } }

  /// The request of the latest attempt or redirect; the original one before the first.
  public final var currentRequest: Request? {
    let (transfer, redirected, original) = core.state.withLock { ($0.transfer, $0.redirected, $0.originalRequest) }
    guard let attempt = transfer?.attempts.last else { return original }
    if let redirected, redirected.attempt == attempt.number { return redirected.request }
    return attempt.request ?? original
  }

  /// The latest head of any attempt; nil before the first.
  public final var response: ResponseHead? { core.transfer?.response }

  /// The error; nil before the end and after a success.
  ///
  /// It is a `CancellationError` if the task was cancelled.
  public final var error: (any Error)? { core.state.withLock { $0.outcome }?.error }

  /// The progress of the request's body; nil when the task is completed.
  public final var uploadProgress: TransferProgressSequence? {
    state == .completed ? nil : core.boards.uploadProgress
  }

  /// The progress of the response's body; nil when the task is completed.
  ///
  /// It can be observed before the first `resume`. Observers receive the last snapshot of a success.
  public final var downloadProgress: TransferProgressSequence? {
    state == .completed ? nil : core.boards.downloadProgress
  }

  /// The app's own values; later attempts find them in their exchange.
  public final subscript<Key: UserInfoKey>(key: Key.Type) -> Key.Value? {
    get { core.state.withLock { $0.userInfo[key] } }
    set { core.set(key, newValue) }
  }

  /// The priority of attempts that begin later; nil keeps that of the request.
  public final var priority: RequestPriority? {
    get { core.state.withLock { $0.priority ?? $0.originalRequest?.options.priority } }
    set { core.state.withLock { $0.priority = newValue } }
  }

  /// The measurements so far, one for each attempt and hop that was sent.
  public final var metrics: [ExchangeMetrics] { core.transfer?.metrics ?? [] }

  /// The attempts so far, oldest first; at most the newest 100.
  public final var attempts: [TransferAttempt] { core.transfer?.attempts ?? [] }

  /// The number of attempts so far, also after a failure.
  ///
  /// Setting it counts on from there, so that a task can continue the count of an earlier one. Values outside 0 to 2^40 are moved to the
  /// nearest of them.
  public final var attemptCount: Int {
    get {
      let (transfer, added) = core.state.withLock { ($0.transfer, $0.addedCount) }
      return max(0, (transfer?.attemptCount ?? 0) + added)
    }
    set {
      let own = core.transfer?.attemptCount ?? 0
      core.state.withLock { $0.addedCount = min(max(0, newValue), 1 << 40) - own }
    }
  }

  /// The time from the first attempt's start to the end, or until now, also after a failure.
  ///
  /// Delays and suspensions count. Setting it counts on from there. Negative values count as zero.
  public final var totalTime: Duration {
    get {
      let (transfer, added) = core.state.withLock { ($0.transfer, $0.addedTime) }
      return max(.zero, (transfer?.totalTime ?? .zero) + added)
    }
    set {
      let own = core.transfer?.totalTime ?? .zero
      core.state.withLock { $0.addedTime = max(.zero, newValue) - own }
    }
  }
}

extension TaskCore {
  /// The transfer; nil before the first `resume`.
  var transfer: Transfer<TaskProduct>? { state.withLock { $0.transfer } }

  /// Sets one of the app's values, here and in the transfer.
  fileprivate func set<Key: UserInfoKey>(_ key: Key.Type, _ value: Key.Value?) {
    // The old value is released outside the lock.
    let (isMade, _) = state.withLock { state in
      let old = state.userInfo
      state.userInfo[key] = value
      state.hasNewUserInfo = true
      return (state.make == nil, old)
    }
    if isMade { enqueue(.apply { [self] transfer in transfer.replaceUserInfo(state.withLock { $0.userInfo }) }) }
  }
}
