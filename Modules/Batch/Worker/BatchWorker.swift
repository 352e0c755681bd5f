import CurlewCore
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
