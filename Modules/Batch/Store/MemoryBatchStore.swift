public import CurlewCore

/// A batch store in memory: the default, and the reference for other stores.
///
/// Its items are lost when the process ends. Each decision takes O(log n), and an item takes at most 1 kB besides its input and
/// output. Several batches of one process can share the store.
public final class MemoryBatchStore: BatchStore {
  private struct State: WaitableState {
    var machine: BatchMachine
    var waiters = Waiters()
  }

  private let state: Guarded<State>
  private let clock: any NetworkClock

  /// Creates an empty store.
  public init(_ rules: BatchRules = BatchRules(), clock: any NetworkClock = .system) {
    state = Guarded(State(machine: BatchMachine(rules)))
    self.clock = clock
  }

  /// Adds items.
  @discardableResult
  public func add(_ items: [BatchItem]) async throws -> Int {
    try perform { machine, now throws(BatchError) in try machine.add(items, at: now) }
  }

  /// Leases ready items.
  public func lease(_ count: Int, for duration: Duration) async throws -> BatchLeases {
    try perform { machine, now in machine.lease(count, for: duration, at: now) }
  }

  /// Extends leases, and returns the orders for their workers.
  public func renew(_ renewals: [BatchRenewal], for duration: Duration) async throws -> [BatchOrder] {
    try perform { machine, now in machine.renew(renewals, for: duration, at: now) }
  }

  /// Stores the result of an item.
  public func finish(_ id: BatchLease.ID, with result: BatchResult) async throws {
    try perform { machine, now throws(BatchError) in try machine.finish(id, with: result, at: now) }
  }

  /// Gives an item back without a result.
  public func release(_ id: BatchLease.ID, _ reason: BatchRelease) async throws {
    try perform { machine, now throws(BatchError) in try machine.release(id, reason, at: now) }
  }

  /// Applies a command.
  @discardableResult
  public func apply(_ command: BatchCommand) async throws -> Bool {
    try perform { machine, now throws(BatchError) in try machine.apply(command, at: now) }
  }

  /// The state of the batch.
  public func summary() async throws -> BatchSummary {
    try perform { machine, now in machine.summary(at: now) }
  }

  /// Returns results in the order in which items ended.
  public func outcomes(after position: Int64, limit: Int) async throws -> [BatchOutcome] {
    try perform { machine, now in
      machine.advance(to: now)
      return machine.outcomes(after: position, limit: limit)
    }
  }

  /// Waits until the store may have changed since a revision.
  public func change(since revision: Int64) async throws {
    let (hasChanged, due) = try perform { machine, now in
      machine.advance(to: now)
      return (machine.revision != revision, machine.nextDue)
    }
    if hasChanged { return }
    guard let due else { return try await change(from: revision) }
    try await withThrowingTaskGroup { group in
      group.addTask { try await self.change(from: revision) }
      group.addTask { try await self.clock.sleep(until: due) }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func change(from revision: Int64) async throws {
    try await state.wait { $0.machine.revision == revision ? nil : .success(()) }
  }

  /// Changes the machine and wakes the tasks that wait for a change.
  private func perform<Value>(
    _ body: (inout BatchMachine, ContinuousClock.Instant) throws(BatchError) -> Value
  ) throws(BatchError) -> Value {
    let now = clock.now
    let (result, woken) = state.withLock { state in
      let old = state.machine.revision
      let result: Result<Value, BatchError>
      do throws(BatchError) { result = .success(try body(&state.machine, now)) } catch { result = .failure(error) }
      return (result, state.machine.revision == old ? [] : state.waiters.takeAll())
    }
    for waiter in woken { waiter.resume() }
    return try result.get()
  }
}
