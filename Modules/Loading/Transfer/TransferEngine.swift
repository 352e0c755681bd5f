import CurlewCore

/// Drives a `TransferMachine`: carries out what it says, in order, outside the lock.
///
/// Tasks of the transfer hold the engine; the app holds the `Transfer` in front of it, whose end is thus noticed. It does
/// not know the type of the value: generic state that is not specialized costs more than a small request does.
final class TransferEngine: Sendable {
  /// How an attempt went.
  typealias AttemptResult = Result<AnyValue, any Error>

  /// A thing to do outside the lock.
  enum Work: Sendable {
    case effect(TransferMachine.Effect)
    case announce(TransferState)
    /// The logical request began.
    case started(Request)
  }

  struct State {
    var machine: TransferMachine
    /// Nil once finished, so that what its closures hold is let go.
    var plan: TransferPlan?
    var outbox: [Work] = []
    var isWorking = false

    var exchange: Exchange?
    var attempt: AttemptHandle?
    /// The decision, or the wait, that goes on between two attempts.
    var interlude: Task<Void, Never>?
    var deadlineTimer: Task<Void, Never>?
    var wasAnnounced = false

    var result: AttemptResult?
    var outcome: TransferOutcome<AnyValue>?
    var outcomeIsTold = false
    var waiters: [UInt64: CheckedContinuation<AnyValue, any Error>] = [:]
    var departed: Set<UInt64> = []
    var lastWaiter: UInt64 = 0
    var finishHandlers: [@Sendable (TransferOutcome<AnyValue>) -> Void] = []
    var stateHandlers: [@Sendable (TransferState) -> Void] = []

    var response: ResponseHead?
    var attempts: [TransferAttempt] = []
    var attemptCount = 0
    var began: ContinuousClock.Instant?
    var ended: ContinuousClock.Instant?
    /// The wait before the attempt that is next.
    var waited = Duration.zero
    /// What all attempts carry, where a policy wants it.
    var idempotencyKey: String?
    var userInfo: UserInfo
  }

  let loader: Loader
  let clock: any NetworkClock
  let download = ProgressBoard()
  let upload = ProgressBoard()
  let state: Guarded<State>

  init(_ loader: Loader, _ plan: TransferPlan) {
    self.loader = loader
    let settings = plan.settings ?? loader.settings
    clock = settings.clock
    state = Guarded(
      State(
        machine: TransferMachine(asks: plan.shouldRetry != nil || plan.retry != nil), plan: plan,
        userInfo: settings.userInfo))
  }

  /// Takes an event, and does what follows from it unless another thread is at it already.
  ///
  /// - Returns: Whether the event was legal.
  @discardableResult
  func send(_ event: TransferMachine.Event, result: AttemptResult? = nil) -> Bool {
    // What is replaced is let go outside the lock: the app's values may do anything in their `deinit`.
    let (isLegal, works, _) = state.withLock { state -> (Bool, Bool, AttemptResult?) in
      let before = state.machine.state
      guard let effects = state.machine.handle(event) else { return (false, false, nil) }
      let replaced = state.result
      if let result { state.result = result }
      if state.machine.state != before { state.outbox.append(.announce(state.machine.state)) }
      for effect in effects {
        if case .finish(let ending) = effect { state.settle(ending) }
        state.outbox.append(.effect(effect))
      }
      return (true, state.takesWork(), replaced)
    }
    if works { workOff() }
    return isLegal
  }

  /// Tells the observers, once and before any end, what the logical request is.
  func announce(_ request: Request) {
    let works = state.withLock { state in
      guard !state.wasAnnounced, state.outcome == nil else { return false }
      state.wasAnnounced = true
      state.outbox.append(.started(request))
      return state.takesWork()
    }
    if works { workOff() }
  }

  /// Ends what nobody can start or resume any more.
  func abandon() {
    switch state.withLock({ $0.machine.state }) {
    case .ready, .paused: send(.cancel)
    case .running, .finished: break
    }
  }

  private func workOff() {
    while true {
      let work = state.withLock { state -> Work? in
        guard !state.outbox.isEmpty else {
          state.isWorking = false
          return nil
        }
        return state.outbox.removeFirst()
      }
      switch work {
      case .effect(let effect): perform(effect)
      case .announce(let entered): for tell in state.withLock({ $0.stateHandlers }) { tell(entered) }
      case .started(let request): state.withLock { $0.exchange }?.emit(.started(request))
      case nil: return
      }
    }
  }
}

extension TransferEngine.State {
  /// Whether the caller is to work off what is in the outbox; else another thread is at it.
  mutating func takesWork() -> Bool {
    defer { isWorking = true }
    return !isWorking
  }

  /// Fixes the outcome, the moment it is known.
  mutating func settle(_ ending: TransferMachine.Ending) {
    switch (ending, result) {
    case (.success, .success(let value)): outcome = .success(value)
    case (.failure, .failure(let error)): outcome = .failure(error)
    case (.cancelled, _): outcome = .cancelled
    case (.expired, _):
      let wasSent = attempts.contains { $0.request != nil }
      let stage: NetworkError.Stage = !wasSent ? .preparing : response == nil ? .awaitingHead : .receivingBody
      outcome = .failure(DeadlineWatch.passed(stage, maybeProcessed: wasSent))
    default:
      outcome = .failure(
        NetworkError(.internal, stage: .decoding, message: "A transfer ended without a result; please report it."))
    }
  }

  /// Changes the record of an attempt.
  mutating func note(_ number: Int, _ change: (inout TransferAttempt) -> Void) {
    guard let index = attempts.lastIndex(where: { $0.number == number }) else { return }
    change(&attempts[index])
  }
}
