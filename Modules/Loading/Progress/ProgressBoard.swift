import CurlewCore

/// Publishes the progress of one direction of a transfer.
///
/// Bytes that arrive shortly after a publication wait for the next one. If no more bytes arrive, a timer publishes them; it runs
/// only while somebody watches.
final class ProgressBoard: Sendable {
  private struct Listener {
    let executor: CallbackExecutor
    let handler: @Sendable (TransferProgress) -> Void
    var completed: Int64 = 0
    var isQueued = false
  }

  private struct State: WaitableState {
    var meter = ProgressMeter()
    var listeners: [UInt64: Listener] = [:]
    var waiters = Waiters()
    var last: UInt64 = 0
    /// Publishes bytes that wait for the end of the interval.
    var timer: Task<Void, Never>?
    var hasTimer = false

    var isWatched: Bool { !listeners.isEmpty || waiters.hasAny }

    /// Returns the listeners to call.
    ///
    /// A listener whose call is still pending is omitted, so that a slow one is not called twice at once.
    mutating func news() -> News {
      var due: [(UInt64, CallbackExecutor)] = []
      for (key, listener) in listeners where !listener.isQueued {
        listeners[key]?.isQueued = true
        due.append((key, listener.executor))
      }
      return News(waiters: waiters.takeAll(), listeners: due)
    }

    /// Returns when to publish the waiting bytes; nil if no bytes wait, or a timer already runs.
    mutating func takeDue() -> ContinuousClock.Instant? {
      guard !hasTimer, let due = meter.due else { return nil }
      hasTimer = true
      return due
    }
  }

  private struct News {
    var waiters = ShortList<Waiters.Waiter>()
    var listeners: [(UInt64, CallbackExecutor)] = []
  }

  private let clock: any NetworkClock
  private let state = Guarded(State())

  init(_ clock: any NetworkClock) { self.clock = clock }

  /// The exact current progress, published or not.
  var current: TransferProgress {
    let shown = state.withLock { $0.meter.current }
    return TransferProgress(
      recent: 0, completed: shown.completed, total: shown.total, rate: shown.rate, isFinal: shown.isFinal)
  }

  func begin(at offset: Int64, total: Int64?) {
    let now = clock.now
    change { $0.begin(at: offset, total: total, now: now) }
  }

  func add(_ bytes: Int) {
    let now = clock.now
    change { $0.add(bytes, now: now) }
  }

  func send(_ bytes: Int64, total: Int64?) {
    let now = clock.now
    change { $0.send(bytes, total: total, now: now) }
  }

  /// Records that the head of a response has arrived, before anybody else learns of it.
  func respond() { respond(now: clock.now) }

  func respond(now: ContinuousClock.Instant) { change { $0.respond(now: now) } }

  func end(success: Bool, now: ContinuousClock.Instant) {
    change { meter in
      defer { meter.end(success: success, now: now) }
      return !meter.isOver
    }
  }

  /// Ends the progress of a sent body, which has its final snapshot when the body was sent.
  func endSending(success: Bool, now: ContinuousClock.Instant) {
    change { meter in
      defer { meter.end(success: false, now: now) }
      return success && meter.respond(now: now) || !meter.isOver
    }
  }

  /// Calls a handler with each publication, including an earlier final one.
  func listen(on executor: CallbackExecutor, _ handler: @escaping @Sendable (TransferProgress) -> Void) {
    let (news, due) = state.withLock { state in
      state.last += 1
      state.listeners[state.last] = Listener(executor: executor, handler: handler)
      return (state.meter.isOver ? state.news() : News(), state.takeDue())
    }
    tell(news)
    if let due { startTimer(due) }
  }

  /// Returns the snapshot after the given one; nil when none follows.
  func next(after seen: ProgressCursor) async -> (TransferProgress, ProgressCursor)? {
    while !Task.isCancelled {
      let (found, due) = state.withLock { state in
        ((shown: state.meter.shown, version: state.meter.version, isOver: state.meter.isOver), state.takeDue())
      }
      if let due { startTimer(due) }
      if seen.sawFinal || (found.isOver && !found.shown.isFinal) { return nil }
      if found.version > seen.version { return seen.advanced(to: found.shown, version: found.version) }
      // If the task is cancelled, the condition of the loop ends it.
      try? await state.wait { state in
        state.meter.version > seen.version || state.meter.isOver ? .success(()) : nil
      }
    }
    return nil
  }

  private func change(_ change: (inout ProgressMeter) -> Bool) {
    let (isWatched, news, timer) = state.withLock { state in
      let isPublished = change(&state.meter)
      let timer = state.meter.isOver ? state.timer.take() : nil
      return (state.isWatched, isPublished && state.isWatched ? state.news() : nil, timer)
    }
    timer?.cancel()
    guard isWatched else { return }
    if let news { tell(news) }
    publishLater()
  }

  /// Starts a timer if bytes wait; apart, because most transfers are not watched, and an instant is expensive to pass on.
  private func publishLater() {
    if let due = state.withLock({ $0.takeDue() }) { startTimer(due) }
  }

  /// Publishes the bytes that wait when they are due, even if no more bytes arrive.
  private func startTimer(_ due: ContinuousClock.Instant) {
    let timer = Task { [clock] in
      guard (try? await clock.sleep(until: due)) != nil else { return }
      state.withLock { $0.hasTimer = false }
      let now = clock.now
      change { $0.catchUp(now: now) }
    }
    let isOver = state.withLock { state in
      state.timer = timer
      return state.meter.isOver
    }
    if isOver { timer.cancel() }
  }

  private func tell(_ news: News) {
    for waiter in news.waiters { waiter.resume() }
    for (key, executor) in news.listeners {
      executor.run { [self] in call(key) }
    }
  }

  /// Calls one listener with the newest snapshot.
  private func call(_ key: UInt64) {
    let (listener, news) = state.withLock { state -> (Listener?, TransferProgress?) in
      guard var listener = state.listeners[key] else { return (nil, nil) }
      let shown = state.meter.shown
      let isOver = state.meter.isOver
      let progress = TransferProgress(
        recent: shown.completed - max(shown.start, listener.completed), completed: shown.completed, total: shown.total,
        rate: shown.rate, isFinal: shown.isFinal)
      listener.isQueued = false
      listener.completed = shown.completed
      // At the end, a final snapshot is reported once, and the handler is released.
      state.listeners[key] = isOver ? nil : listener
      return (listener, isOver && !shown.isFinal ? nil : progress)
    }
    if let listener, let news { listener.handler(news) }
  }
}

/// How much of a board a reader has seen.
struct ProgressCursor: Sendable {
  var version = 0
  var completed: Int64 = 0
  var sawFinal = false

  func advanced(to shown: ProgressMeter.Shown, version: Int) -> (TransferProgress, ProgressCursor) {
    let progress = TransferProgress(
      recent: shown.completed - max(shown.start, completed), completed: shown.completed, total: shown.total,
      rate: shown.rate,
      isFinal: shown.isFinal)
    return (progress, ProgressCursor(version: version, completed: shown.completed, sawFinal: shown.isFinal))
  }
}
