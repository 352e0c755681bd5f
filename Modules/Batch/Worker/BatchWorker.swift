import CurlewCore
import CurlewLoading
import CurlewRequests
import FoundationEssentials

/// Leases items from a store, runs their jobs and records their results.
///
/// One task leases as many items as fit, and then waits for a change. Each item has a task of its own, and another task renews
/// all leases. Only the store decides what may run; the worker itself knows only its items in flight.
final class BatchWorker: Sendable {
  struct State: WaitableState {
    var isStarted = false
    var leader: Task<Void, Never>?
    var isStopped = false
    var result: Result<BatchSummary, any Error>?
    var flights = ItemTable<BatchFlight>()
    var closures = ItemTable<BatchJob>()
    var observers: [BatchObserver] = []
    /// The first error of the store while a result was recorded; it ends the worker.
    var fault: (any Error)?
    /// A counter that rises when an item has ended, so that the worker leases more.
    var bell = 0
    /// A counter that rises when all leases must be renewed at once.
    var pulse = 0
    var waiters = Waiters()
  }

  let store: any BatchStore
  let configuration: Batch.Configuration
  let state = Guarded(State())

  init(_ store: any BatchStore, _ configuration: Batch.Configuration) {
    self.store = store
    self.configuration = configuration
  }

  var clock: any NetworkClock { configuration.clock }

  /// Changes the state and wakes the tasks that wait for a change.
  func update<Value>(_ body: (inout State) -> Value) -> Value {
    let (value, woken) = state.withLock { state in
      let value = body(&state)
      return (value, state.waiters.takeAll())
    }
    for waiter in woken { waiter.resume() }
    return value
  }

  /// Waits until a condition holds; it is evaluated after each `update`.
  func wait(leavesWhenCancelled: Bool = true, until condition: @escaping @Sendable (State) -> Bool) async throws {
    while !state.withLock({ condition($0) }) {
      try await state.wait(leavesWhenCancelled: leavesWhenCancelled) { condition($0) ? .success(()) : nil }
    }
  }

  // MARK: Life

  func start() -> Bool {
    let starts = state.withLock { state in
      defer { state.isStarted = true }
      return !state.isStarted
    }
    guard starts else { return false }
    let leader = Task { await self.work() }
    let isStopped = state.withLock { state in
      if state.result == nil { state.leader = leader }
      return state.isStopped
    }
    if isStopped { leader.cancel() }
    return true
  }

  func stop() {
    let leader = update { state in
      state.isStopped = true
      return state.leader
    }
    leader?.cancel()
  }

  /// Whether the worker has ended: completed, failed or stopped.
  var hasEnded: Bool { state.withLock { $0.result != nil } }

  /// Waits for the end of the worker and returns its result.
  func result() async throws -> BatchSummary {
    try await wait(leavesWhenCancelled: false) { $0.result != nil }
    guard let result = state.withLock({ $0.result }) else { throw CancellationError() }
    return try result.get()
  }

  /// Runs the worker to its end, and sends the last event.
  private func work() async {
    let result: Result<BatchSummary, any Error>
    do { result = .success(try await lead()) } catch { result = .failure(error) }
    await land()
    let observers = state.withLock { $0.observers }
    for observer in observers { await observer.tell(.completed(result)) }
    // The closures and observers are released outside the lock: their deinitializers can run any code.
    _ = update { state in
      let old = (state.closures, state.observers)
      (state.closures, state.observers, state.leader) = (ItemTable(), [], nil)
      state.result = result
      return old
    }
  }

  private func lead() async throws -> BatchSummary {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.lease() }
      let hasObservers = state.withLock { !$0.observers.isEmpty }
      if hasObservers { group.addTask { try await self.tellOutcomes() } }
      try await withThrowingTaskGroup(of: Void.self) { beats in
        beats.addTask { try await self.keepLeases() }
        if hasObservers { beats.addTask { try await self.tellProgress() } }
        defer { beats.cancelAll() }
        for try await _ in group {}
      }
    }
    let summary = try await ask { try await self.store.summary() }
    for observer in state.withLock({ $0.observers }) { await observer.tell(.progressed(summary, [])) }
    return summary
  }

  // MARK: Leasing

  private func lease() async throws {
    while true {
      let (seen, busy, fault) = state.withLock { ($0.bell, $0.flights.count, $0.fault) }
      if let fault { throw fault }
      try Task.checkCancellation()
      let free = max(1, configuration.width) - busy
      guard free > 0 else {
        try await ring(after: seen)
        continue
      }
      let (answer, asked) = try await ask {
        let asked = self.clock.now
        return (try await self.store.lease(free, for: self.configuration.leaseDuration), asked)
      }
      for lease in answer.leases { begin(lease, asked.advanced(by: configuration.leaseDuration.limited)) }
      if answer.isComplete { return }
      guard answer.leases.count < free else { continue }
      try await first(
        { try await self.ring(after: seen) },
        { try await self.ask { try await self.store.change(since: answer.revision) } })
    }
  }

  private func ring(after seen: Int) async throws {
    try await wait { $0.bell != seen }
  }

  /// Waits until the store has changed since a revision, or the worker has ended.
  ///
  /// - Throws: The error with which the worker ended, or the error of the store.
  func change(since revision: Int64) async throws {
    try await first(
      { try await self.ask { try await self.store.change(since: revision) } },
      {
        try await self.wait { $0.result != nil }
        _ = try await self.result()
      })
  }

  /// Waits until the first of two closures returns or throws, and cancels the other.
  func first(
    _ one: @escaping @Sendable () async throws -> Void, _ other: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await one() }
      group.addTask { try await other() }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Releases all running items, and waits until none is in flight.
  private func land() async {
    let tasks = state.withLock { state in
      for name in state.flights.keys { _ = state.flights[name]?.take(.pause) }
      return state.flights.values.map(\.task)
    }
    for task in tasks { task.cancel() }
    try? await wait(leavesWhenCancelled: false) { $0.flights.isEmpty }
  }
}

extension BatchWorker {
  /// The longest pause before the store is asked again.
  static let longestPause = Duration.seconds(1)

  /// Calls the store, and calls it again while it cannot answer (`BatchError.isTransient`).
  ///
  /// - Throws: The store's error once it has not answered for the duration of a lease.
  func ask<Answer: Sendable>(_ call: @Sendable () async throws -> Answer) async throws -> Answer {
    var end: ContinuousClock.Instant?
    return try await ask(call) { error, now in
      let last = end ?? now.advanced(by: self.configuration.leaseDuration.limited)
      end = last
      return now < last ? nil : error
    }
  }

  /// Calls the store for an item, and calls it again while it cannot answer and the lease may be valid.
  ///
  /// - Throws: `BatchError` of kind `leaseLost` once the lease is over.
  func ask<Answer: Sendable>(
    within id: BatchLease.ID, _ call: @Sendable () async throws -> Answer
  ) async throws -> Answer {
    try await ask(call) { _, now in
      let flight = self.state.withLock { $0.flights[id.name] }
      guard let flight, flight.lease.id == id, flight.order != .abandon, now < flight.validUntil else {
        return BatchError(.leaseLost, item: id.name, "the store did not answer until the lease was over")
      }
      return nil
    }
  }

  private func ask<Answer: Sendable>(
    _ call: @Sendable () async throws -> Answer,
    unless refusal: (_ error: BatchError, _ now: ContinuousClock.Instant) -> BatchError?
  ) async throws -> Answer {
    var pause = Duration.milliseconds(100)
    while true {
      do {
        return try await call()
      } catch let error as BatchError where error.isTransient {
        if let error = refusal(error, clock.now) { throw error }
      }
      try await clock.sleep(until: clock.now.advanced(by: pause))
      pause = min(pause * 2, Self.longestPause)
    }
  }

  /// Ends the worker with an error of its store.
  func end(with error: BatchError) {
    update { state in
      state.fault = state.fault ?? error
      state.bell += 1
    }
  }
}

extension BatchWorker {
  /// Requests that all leases are renewed at once, to receive the store's orders.
  func renewSoon() { update { $0.pulse += 1 } }

  /// Renews all leases periodically, and whenever `renewSoon` requests it.
  ///
  /// The period is a third of the duration of a lease, and shorter while the store does not answer.
  func keepLeases() async throws {
    var seen = 0
    var isAnswered = true
    while true {
      let period = configuration.leaseDuration.limited / 3
      let pause = isAnswered ? period : min(period, Self.longestPause)
      let last = seen
      try await first(
        { try await self.clock.sleep(until: self.clock.now.advanced(by: pause)) },
        { try await self.wait { $0.pulse != last } })
      seen = state.withLock { $0.pulse }
      isAnswered = try await renewLeases()
    }
  }

  /// Renews all leases and carries out the orders.
  ///
  /// If the store fails, the next call tries again, and a job whose lease may have expired is stopped.
  ///
  /// - Returns: Whether the store has answered.
  @discardableResult
  func renewLeases() async throws -> Bool {
    let flights = state.withLock { Array($0.flights.values) }
    guard !flights.isEmpty else { return true }
    let asked = clock.now
    do {
      let orders = try await store.renew(flights.map { $0.renewal() }, for: configuration.leaseDuration)
      for (flight, order) in zip(flights, orders) { obey(order, flight.lease.id, asked) }
      return true
    } catch let error as CancellationError {
      throw error
    } catch {
      for flight in flights where flight.validUntil <= clock.now { obey(.abandon, flight.lease.id, asked) }
      return false
    }
  }

  /// Renews a lease for `BatchJobContext.confirm`; throws unless the job may proceed.
  func confirm(_ id: BatchLease.ID, _ note: Data?) async throws {
    if let note, note.count > BatchLimits.inputBytes {
      throw BatchError(
        .invalidItem, item: id.name, "its note has \(note.count) bytes; at most \(BatchLimits.inputBytes) are allowed")
    }
    let flight = state.withLock { state in state.flights[id.name].flatMap { $0.lease.id == id ? $0 : nil } }
    guard let flight else { throw Self.lost(id) }
    let (order, asked) = try await renew(flight, note)
    obey(order, id, asked)
    switch order {
    case .proceed: try Task.checkCancellation()
    case .abandon: throw Self.lost(id)
    case .pause, .cancel: throw CancellationError()
    }
  }

  /// Renews one lease.
  ///
  /// An error of the store is never the result of the item: it ends the worker, and the item is given back.
  ///
  /// - Returns: The order, and when it was asked for.
  private func renew(
    _ flight: BatchFlight, _ note: Data?
  ) async throws -> (order: BatchOrder, asked: ContinuousClock.Instant) {
    do {
      return try await ask(within: flight.lease.id) {
        let asked = self.clock.now
        let orders = try await self.store.renew([flight.renewal(note: note)], for: self.configuration.leaseDuration)
        return (orders.first ?? .abandon, asked)
      }
    } catch let error as BatchError {
      obey(error.kind == .leaseLost ? .abandon : .pause, flight.lease.id, clock.now)
      if error.kind != .leaseLost { end(with: error) }
      throw error
    }
  }

  private static func lost(_ id: BatchLease.ID) -> BatchError {
    BatchError(
      .leaseLost, item: id.name, "the lease ran out before the work was published; another worker has the item")
  }

  /// Carries out an order from the store.
  private func obey(_ order: BatchOrder, _ id: BatchLease.ID, _ asked: ContinuousClock.Instant) {
    let validUntil = asked.advanced(by: configuration.leaseDuration.limited)
    let task = state.withLock { state -> Task<Void, Never>? in
      guard state.flights[id.name]?.lease.id == id else { return nil }
      if order != .abandon { state.flights[id.name]?.validUntil = validUntil }
      guard state.flights[id.name]?.take(order) ?? false else { return nil }
      return state.flights[id.name]?.task
    }
    task?.cancel()
  }
}

extension BatchWorker {
  func observe(_ observer: BatchObserver) { state.withLock { $0.observers.append(observer) } }

  /// Tells the observers every result in the store, until all items have ended.
  func tellOutcomes() async throws {
    var outcomes = Batch.Iterator(worker: self)
    while let outcome = try await outcomes.next() {
      for observer in state.withLock({ $0.observers }) { await observer.tell(.ended(outcome)) }
    }
  }

  /// Tells the observers the progress at intervals while items run.
  func tellProgress() async throws {
    while true {
      try await clock.sleep(
        until: clock.now.advanced(by: max(configuration.progressInterval.limited, .milliseconds(1))))
      let items = itemsInFlight
      guard !items.isEmpty else { continue }
      // The renewals carry the progress of each item, from which the store computes the summary.
      try await renewLeases()
      let summary = try await ask { try await self.store.summary() }
      for observer in state.withLock({ $0.observers }) { await observer.tell(.progressed(summary, items)) }
    }
  }
}

/// A handler of events that is called on an executor.
struct BatchObserver: Sendable {
  private let questions: ExecutorQuestions
  private let handler: @Sendable (BatchEvent) -> Void

  init(_ executor: CallbackExecutor, _ handler: @escaping @Sendable (BatchEvent) -> Void) {
    questions = ExecutorQuestions(executor)
    self.handler = handler
  }

  /// Calls the handler and waits for it, even if the caller's task is cancelled.
  func tell(_ event: BatchEvent) async {
    await Task { try? await questions.ask { handler(event) } }.value
  }
}
