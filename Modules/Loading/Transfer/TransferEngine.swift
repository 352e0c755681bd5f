import CurlewCore

/// Drives a `TransferMachine` and carries out its effects in order, outside locks.
///
/// The transfer's tasks hold the engine, and the app holds the `Transfer` in front of it; that way the engine notices when the
/// app releases it. The engine does not know the type of the value, because unspecialized generic state costs more than a
/// small request.
final class TransferEngine: Sendable {
  /// The result of an attempt.
  typealias AttemptResult = Result<Void, any Error>

  /// Work to do outside the lock.
  enum Work: Sendable {
    case effect(TransferMachine.Effect)
    case announce(TransferState)
    /// An event of the logical request, in an attempt.
    case event(ExchangeEvent.Kind, attempt: Int)
    /// The sink was released, so that the outcome can be told.
    case tell
  }

  struct State: WaitableState {
    var machine: TransferMachine
    /// Nil once finished, so that everything its closures hold is released.
    var plan: TransferPlan?
    var outbox = ShortList<Work>()
    var isWorking = false

    var exchange: Exchange?
    var attempt: AttemptHandle?
    /// The decision or delay between two attempts.
    var interlude: Task<Void, Never>?
    var deadlineTimer: Task<Void, Never>?
    var wasAnnounced = false

    var result: AttemptResult?
    var outcome: TransferOutcome<Void>?
    var outcomeIsTold = false
    /// The sink of a finished transfer that had something to release.
    var sink: (any TransferSink)?
    /// How another transfer can resume.
    var resumption: (any ResumableHandle)?
    var waiters = Waiters()
    var finishHandlers = ShortList<@Sendable (TransferOutcome<Void>) -> Void>()
    var stateHandlers: [@Sendable (TransferState) -> Void] = []

    /// Nil until a body is sent or somebody asks, and if the transfer was given boards.
    var upload: ProgressBoard?
    var attempts: [TransferAttempt] = []
    /// The latest head of the attempts that were forgotten.
    var forgottenResponse: ResponseHead?
    var attemptCount = 0
    var began: Moment?
    var ended: Moment?
    /// How far into the whole content the attempts have come; reset by a restart.
    var furthest: Int64 = 0
    /// The callers that wait for the machine to rest.
    var restWaiters: [CheckedContinuation<Void, Never>] = []
    /// The delay before the next attempt.
    var waited = Duration.zero
    /// The key that all attempts carry, if a policy wants one.
    var idempotencyKey: String?
    var userInfo: UserInfo
    /// Whether the app has changed the values since the transfer was made.
    var hasNewUserInfo = false
  }

  let loader: Loader
  let clock: any NetworkClock
  let download: ProgressBoard
  /// The boards that were given; nil if the transfer makes its own.
  let boards: TransferBoards?
  /// Whether the policy or the app decides after a success, too.
  let asksAfterSuccess: Bool
  /// Whether a policy decides, which must know whether the server may have processed an attempt.
  let hasPolicy: Bool
  /// Whether the sink has something to release before the outcome is told.
  let releasesSink: Bool
  let state: Guarded<State>

  init(_ loader: consuming Loader, _ plan: TransferPlan) {
    let shared = plan.settings ?? loader.sharedSettings
    self.loader = loader
    clock = shared.settings.clock
    boards = plan.boards
    download = plan.boards?.download ?? ProgressBoard(shared.settings.clock)
    hasPolicy = plan.retry != nil
    releasesSink = plan.release != nil
    asksAfterSuccess = plan.shouldRetry != nil || hasPolicy
    let machine = TransferMachine(
      asksAfterSuccess: asksAfterSuccess, startsOver: plan.retry?.startsOverWithProgress ?? false)
    state = Guarded(
      State(machine: machine, plan: plan, userInfo: shared.settings.userInfo))
  }

  /// The outcome; nil before the end, and while the sink is being released.
  var outcome: TransferOutcome<Void>? {
    state.withLock { $0.outcomeIsTold || !releasesSink ? $0.outcome : nil }
  }

  /// The progress of the request's body.
  var upload: ProgressBoard {
    if let boards { return boards.upload }
    return state.withLock { state in
      if let board = state.upload { return board }
      let board = ProgressBoard(clock)
      if let ended = state.ended { board.endSending(success: state.outcome?.isSuccess ?? false, now: ended.instant) }
      state.upload = board
      return board
    }
  }

  /// Handles an event, and carries out its effects unless another thread does.
  ///
  /// - Returns: Whether the event was allowed.
  @discardableResult
  func send(_ event: TransferMachine.Event, result: AttemptResult? = nil) -> Bool {
    let (isLegal, works) = state.withLock { state -> (Bool, Bool) in
      let before = state.machine.state
      guard let effects = state.machine.handle(event) else { return (false, false) }
      if let result { state.result = result }
      if state.machine.state != before, !state.stateHandlers.isEmpty {
        state.outbox.append(.announce(state.machine.state))
      }
      state.noteMotion(event)
      for effect in effects {
        if case .finish(let ending) = effect { state.setOutcome(ending) }
        state.outbox.append(.effect(effect))
      }
      return (true, state.takesWork())
    }
    if works { workOff() }
    return isLegal
  }

  /// Reports the logical request to the observers, once and before any end.
  func announce(_ request: Request) {
    let works = state.withLock { state in
      guard !state.wasAnnounced, state.outcome == nil else { return false }
      state.wasAnnounced = true
      guard state.exchange?.isObserved ?? false else { return false }
      state.outbox.append(.event(.started(request), attempt: 1))
      return state.takesWork()
    }
    if works { workOff() }
  }

  /// Cancels a transfer that nobody can start or resume any more.
  func abandon() {
    switch state.withLock({ $0.machine.state }) {
    case .ready, .paused: send(.cancel)
    case .running, .finished: break
    }
  }

  func workOff() {
    while true {
      let (work, waiters) = state.withLock { state -> (Work?, [CheckedContinuation<Void, Never>]) in
        if let work = state.outbox.popFirst() { return (work, []) }
        state.isWorking = false
        defer { state.restWaiters = [] }
        return (nil, state.restWaiters)
      }
      switch work {
      case .effect(let effect): perform(effect)
      case .announce(let entered): for tell in state.withLock({ $0.stateHandlers }) { tell(entered) }
      case .event(let kind, let attempt): state.withLock { $0.exchange }?.derived(attempt: attempt).emit(kind)
      case .tell: if let outcome = state.withLock({ $0.outcome }) { tell(outcome) }
      case nil:
        for waiter in waiters { waiter.resume() }
        return
      }
    }
  }
}

extension TransferEngine.State {
  /// Tells observers that the request was paused or resumed, once they know of it.
  mutating func noteMotion(_ event: TransferMachine.Event) {
    let kind: ExchangeEvent.Kind
    switch event {
    case .pause: kind = .paused
    case .resume: kind = .resumed
    default: return
    }
    if wasAnnounced, exchange?.isObserved ?? false { outbox.append(.event(kind, attempt: machine.number)) }
  }

  /// Returns whether the caller should process the outbox.
  ///
  /// Otherwise another thread does.
  mutating func takesWork() -> Bool {
    defer { isWorking = true }
    return !isWorking
  }

  /// Sets the outcome as soon as it is known.
  mutating func setOutcome(_ ending: TransferMachine.Ending) {
    switch (ending, result) {
    case (.success, .success): outcome = .success(())
    case (.failure, .failure(let error)): outcome = .failure(counted(error))
    case (.cancelled, _): outcome = .cancelled
    case (.expired, _):
      let request = attempts.last { $0.request != nil }?.request
      let stage: NetworkError.Stage = request == nil ? .preparing : response == nil ? .awaitingHead : .receivingBody
      outcome = .failure(counted(DeadlineWatch.passed(stage, request, maybeProcessed: request != nil)))
    default:
      outcome = .failure(
        NetworkError(
          .internal, stage: .decoding, message: "A transfer ended without a result.", advice: "Please report it."))
    }
  }

  /// Returns the error with the number of attempts, if there were several.
  private func counted(_ error: any Error) -> any Error {
    guard attemptCount > 1, let error = error as? NetworkError else { return error }
    return error.with { $0.attempts = attemptCount }
  }

  /// Adds the record of an attempt that begins now.
  ///
  /// - Returns: The records that are forgotten for it, which must be released outside the lock.
  mutating func addAttempt(
    _ number: Int, _ reason: AttemptReason, _ now: Moment
  ) -> [TransferAttempt] {
    if reason == .restart { furthest = 0 }
    let forgotten = attempts.count < TransferLimits.attempts ? [] : [attempts.removeFirst()]
    if let response = forgotten.first?.response { forgottenResponse = response }
    let first = began ?? now
    began = first
    var attempt = TransferAttempt(number, reason, began: now, transferBegan: first)
    attempt.retries = machine.retries
    if reason == .retry { attempt.waited = waited }
    attempts.append(consume attempt)
    attemptCount += 1
    return forgotten
  }

  /// The latest head of any attempt.
  var response: ResponseHead? {
    // An index copies no attempt.
    attempts.lastIndex { $0.response != nil }.flatMap { attempts[$0].response } ?? forgottenResponse
  }

  /// Changes the record of an attempt.
  mutating func note(_ number: Int, _ change: (inout TransferAttempt) -> Void) {
    guard let index = attempts.lastIndex(where: { $0.number == number }) else { return }
    change(&attempts[index])
  }
}

extension TransferEngine {
  /// Waits until it is paused and no released attempt is running, or it has settled.
  func halted() async {
    while true {
      let (now, isAtRest, attempt) = state.withLock { ($0.machine.state, !$0.isWorking, $0.attempt) }
      switch now {
      case .finished where isAtRest:
        try? await finished(leavesWhenCancelled: false)
        await settled()
        return
      case .paused where isAtRest:
        guard let attempt else { return }
        if await attempt.isQuiet(), state.withLock({ $0.machine.state == .paused && $0.attempt === attempt }) { return }
      default: await restAfterWork()
      }
    }
  }

  /// Waits until the effects of the next or current event have been carried out.
  func restAfterWork() async {
    await withCheckedContinuation { continuation in
      let isAtRest = state.withLock { state in
        let isOver = state.machine.state == .finished || state.machine.state == .paused
        if isOver, !state.isWorking { return true }
        state.restWaiters.append(continuation)
        return false
      }
      if isAtRest { continuation.resume() }
    }
  }
}

extension TransferEngine {
  /// Decides whether to retry: asks the policy, and the app if necessary.
  func decide(_ number: Int) {
    let (plan, attempt, deadline) = state.withLock { state in
      (state.plan, state.attempts.last, state.exchange?.settings.deadline)
    }
    guard let plan, let attempt else {
      send(.decided(number, .finish))
      return
    }
    guard let policy = plan.retry else {
      ask(plan.shouldRetry, attempt) { [self] in send(.decided(number, RetryVerdict(withoutPolicy: $0))) }
      return
    }
    let situation = RetrySituation(
      attempt: attempt, now: clock.now, date: HTTPDate(clock.date), deadline: deadline,
      isRepeatable: plan.isReplayable || newBody(plan) != nil)
    let proposal = policy.proposal(in: situation)
    var asked = attempt
    asked.allowsRetry = proposal != .never
    ask(plan.shouldRetry, asked) { [self] answer in
      var situation = situation
      situation.now = clock.now
      carryOut(policy.verdict(answer, proposal, in: situation), policy, situation)
    }
  }

  /// Asks the sink's error, and then the app on a task of its own; without a question, the policy decides.
  private func ask(
    _ question: (@Sendable (TransferAttempt) async -> RetryDecision)?, _ attempt: TransferAttempt,
    then: @escaping @Sendable (RetryDecision) -> Void
  ) {
    if (attempt.error as? NetworkError)?.details.underlying is any RestartingCause { return then(.restart) }
    guard let question else { return then(.byPolicy) }
    setInterlude(Task { then(await question(attempt)) })
  }

  /// Charges or credits the origin's budget, and reports the decision.
  private func carryOut(_ verdict: RetryVerdict, _ policy: RetryPolicy, _ situation: RetrySituation) {
    var verdict = verdict
    let attempt = situation.attempt
    if let budget = policy.originBudget, let origin = try? attempt.request?.origin {
      switch verdict {
      case .finish where !policy.conditions.hold(for: attempt) && attempt.error == nil:
        budget.succeed(origin, at: situation.now)
      case .finish, .restart: break
      case .retry where budget.take(origin, at: situation.now): break
      case .retry: verdict = .finish
      }
    }
    send(.decided(attempt.number, verdict))
  }

  /// Sets the `Idempotency-Key`, which is the same in all attempts.
  func carryKey(_ policy: RetryPolicy, in request: inout Request) {
    let own = IdempotencyKey.of(request)
    var key = state.withLock { $0.idempotencyKey } ?? own
    if key == nil, !request.isIdempotent { key = policy.idempotencyKey?() }
    guard let key else { return }
    state.withLock { $0.idempotencyKey = key }
    if key != own { IdempotencyKey.set(key, in: &request) }
  }
}

/// Whether a server received anything of an attempt, at any of its hops.
final class ServerContact: EventObserver {
  private let answered = Guarded(false)

  /// Returns true: it reads no secrets, and redaction would copy each request.
  var wantsSecrets: Bool { true }

  func observe(_ event: ExchangeEvent) {
    if case .responded = event.kind { answered.withLock { $0 = true } }
  }

  var hasAnswered: Bool { answered.withLock { $0 } }
}

extension TransferAttempt {
  /// Whether the server may have processed what it sent.
  func mayHaveBeenProcessed(wasAnswered: Bool) -> Bool {
    guard request != nil else { return false }
    if response != nil || wasAnswered { return true }
    guard let error = error as? NetworkError else { return true }
    return error.maybeProcessed || error.details.response != nil
  }
}

extension TransferEngine {
  /// Waits for the outcome.
  ///
  /// - Parameter leavesWhenCancelled: Whether a cancelled task stops waiting.
  /// - Throws: The transfer's error; `CancellationError` when the transfer or the waiting task was cancelled.
  nonisolated(nonsending) func finished(leavesWhenCancelled: Bool) async throws {
    try await state.wait(leavesWhenCancelled: leavesWhenCancelled) { state in
      guard state.outcomeIsTold, let outcome = state.outcome else { return nil }
      return Result { try outcome.get() }
    }
  }

  /// Starts it if it is ready, and waits for the outcome; cancelling the task cancels the transfer.
  nonisolated(nonsending) func run() async throws {
    // The start is inside the handler, so that a task that is already cancelled sends nothing.
    try await withTaskCancellationHandler {
      send(.start)
      try await finished(leavesWhenCancelled: false)
    } onCancel: {
      send(.cancel)
    }
  }

  /// Calls the handler once with the outcome.
  func onFinish(_ handler: @escaping @Sendable (TransferOutcome<Void>) -> Void) {
    let outcome = state.withLock { state -> TransferOutcome<Void>? in
      if state.outcomeIsTold { return state.outcome }
      state.finishHandlers.append(handler)
      return nil
    }
    if let outcome { handler(outcome) }
  }

  /// Waits for the work that continues after the outcome.
  func settled() async {
    let (attempt, interlude, timer) = state.withLock { ($0.attempt, $0.interlude, $0.deadlineTimer) }
    await attempt?.task?.value
    await interlude?.value
    await timer?.value
    // A task that released a paused attempt may be carrying out the end.
    if state.withLock({ $0.outcome != nil }) { await restAfterWork() }
  }
}
