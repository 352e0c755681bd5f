import CurlewCore

extension TransferEngine {
  func perform(_ effect: TransferMachine.Effect) {
    switch effect {
    case .begin(let number, let reason): begin(number, reason)
    case .pause(let number): pause(number)
    case .resume: state.withLock { $0.attempt }?.resume()
    case .decide(let number): decide(number)
    case .wait(let number, let duration): wait(number, duration)
    case .stop: stop()
    case .finish: finish()
    }
  }

  private func begin(_ number: Int, _ reason: AttemptReason) {
    let handle = AttemptHandle()
    let now = clock.now
    let (exchange, before, restart, _) = state.withLock { state in
      let exchange =
        state.exchange ?? Exchange(state.plan?.settings ?? loader.sharedSettings, pausedBy: handle.signal)
      state.exchange = exchange
      defer { state.attempt = handle }
      state.result = nil
      let restart =
        reason == .restart && state.wasAnnounced
        ? ExchangeEvent.Kind.retrying(attempt: number, after: .zero, error: state.attempts.last?.error) : nil
      let forgotten = state.addAttempt(number, reason, Moment(now))
      return (exchange, state.attempt, restart, forgotten)
    }
    if let restart { exchange.derived(attempt: number).emit(restart) }
    // A rejected value is not kept while a better one is awaited.
    if number > 1 { state.withLock { $0.plan }?.forgetValue() }
    if number == 1, exchange.hasDeadline, let deadline = exchange.settings.deadline {
      guard now < deadline else {
        send(.expire)
        return
      }
      watch(deadline)
    }
    let predecessor = before?.task
    handle.run(
      Task {
        // One writer at a time, because the sink may write the same file.
        await predecessor?.value
        await attempt(number, reason, handle, exchange)
        handle.leave()
      }, after: predecessor)
  }

  private func pause(_ number: Int) {
    let (handle, policy) = state.withLock { ($0.attempt, $0.plan?.pausing ?? .hold) }
    guard let handle else { return }
    handle.pause()
    let wait: Duration
    switch policy {
    case .release(let duration): wait = duration
    case .hold: wait = .zero
    }
    let canHold = loader.transport.capabilities.contains(.backpressure)
    if policy == .hold, canHold { return }
    let end = clock.now.advanced(by: canHold ? wait.limited : .zero)
    handle.releaseLater(
      Task {
        guard (try? await clock.sleep(until: end)) != nil else { return }
        guard handle.isReleasable else {
          handle.keepsConnection()
          return
        }
        send(.released(number))
      })
  }

  private func wait(_ number: Int, _ duration: Duration) {
    let (exchange, error, plan) = state.withLock { state in
      state.result = nil
      state.waited = duration.limited
      return (state.wasAnnounced ? state.exchange : nil, state.attempts.last?.error, state.plan)
    }
    plan?.forgetValue()
    exchange?.derived(attempt: number).emit(.retrying(attempt: number, after: max(.zero, duration), error: error))
    guard duration > .zero else {
      send(.waited(number))
      return
    }
    let end = clock.now.advanced(by: duration.limited)
    setInterlude(
      Task {
        guard (try? await clock.sleep(until: end)) != nil else { return }
        send(.waited(number))
      })
  }

  private func watch(_ deadline: ContinuousClock.Instant) {
    let timer = Task {
      guard (try? await clock.sleep(until: deadline)) != nil else { return }
      send(.expire)
    }
    let isOver = state.withLock { state in
      state.deadlineTimer = timer
      return state.machine.state == .finished
    }
    if isOver { timer.cancel() }
  }

  func setInterlude(_ task: Task<Void, Never>) {
    let isOver = state.withLock { state in
      state.interlude = task
      return state.machine.state == .finished
    }
    if isOver { task.cancel() }
  }

  /// Cancels the running work; its later reports are ignored.
  private func stop() {
    let now = clock.now
    let (attempt, interlude) = state.withLock { state in
      if let number = state.attempts.last?.number, state.attempts.last?.ended == nil {
        state.note(number) { attempt in
          attempt.ended = now
          attempt.error = CancellationError()
          attempt.maybeProcessed = attempt.request != nil
        }
      }
      return (state.attempt, state.interlude)
    }
    attempt?.cancel()
    interlude?.cancel()
  }

  private func finish() {
    let now = clock.now
    let end = state.withLock { state in
      state.ended = Moment(now)
      return End(&state)
    }
    end.deadlineTimer?.cancel()
    guard let outcome = end.outcome else { return }
    if !outcome.isSuccess { end.plan?.forgetValue() }
    end.upload?.endSending(success: outcome.isSuccess, now: now)
    boards?.endSending(success: outcome.isSuccess, now: now)
    download.end(success: outcome.isSuccess, now: now)
    if let exchange = end.exchange { exchange.emit(.finished(outcome.event, metrics: exchange.metrics)) }
    guard let release = end.plan?.release else {
      tell(outcome)
      return
    }
    Task {
      let handle = await release()
      let works = state.withLock { state in
        state.resumption = handle
        state.outcome = outcome.with(handle)
        state.outbox.append(.tell)
        return state.takesWork()
      }
      if works { workOff() }
    }
  }

  /// Tells the outcome to those who wait, and from now on to whoever asks; the progress has ended before.
  func tell(_ outcome: TransferOutcome<Void>) {
    let (waiters, handlers) = state.withLock { state in
      state.outcomeIsTold = true
      defer { state.finishHandlers = ShortList() }
      return (state.waiters.takeAll(), state.finishHandlers)
    }
    for waiter in waiters { waiter.resume(with: Result { try outcome.get() }) }
    for tell in handlers { tell(outcome) }
  }

  /// The parts of the state that the end takes, for use outside the lock.
  private struct End {
    let outcome: TransferOutcome<Void>?
    let plan: TransferPlan?
    let upload: ProgressBoard?
    let deadlineTimer: Task<Void, Never>?
    /// The exchange; nil if the observers were not informed of a start.
    let exchange: Exchange?
    private let stateHandlers: [@Sendable (TransferState) -> Void]

    init(_ state: inout State) {
      outcome = state.outcome
      plan = state.plan
      state.sink = plan?.release == nil ? nil : plan?.sink
      upload = state.upload
      deadlineTimer = state.deadlineTimer
      exchange = state.wasAnnounced ? state.exchange : nil
      stateHandlers = state.stateHandlers
      state.plan = nil
      state.result = nil
      state.stateHandlers = []
    }
  }
}

/// Limits that never need to be changed.
enum TransferLimits {
  /// The most attempts that the history keeps.
  static let attempts = 100
}

extension TransferOutcome {
  /// Returns the outcome; a failure includes how to resume, if it can.
  func with(_ handle: (any ResumableHandle)?) -> Self {
    guard case .failure(let error as NetworkError) = self, let handle else { return self }
    return .failure(error.with { $0.resumption = handle })
  }

  var isSuccess: Bool { if case .success = self { true } else { false } }

  /// The outcome without its value.
  var event: ExchangeEvent.Outcome {
    switch self {
    case .success: .success
    case .failure(let error): .failure(error)
    case .cancelled: .cancelled
    }
  }
}
