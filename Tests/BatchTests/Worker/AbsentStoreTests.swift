import CurlewCore
import CurlewRequests
import Testing

@testable import CurlewBatch
@testable import CurlewTestSupport

/// A store that cannot answer for a while: what it cannot say is asked again, and is never the result of an item.
@Suite(.timeLimit(.minutes(10))) struct AbsentStoreTests {
  private let clock = ManualClock()
  private let memory: MemoryBatchStore
  private let store: AbsentStore
  private let gate = ManualGate()

  init() {
    memory = MemoryBatchStore(BatchRules(stopsOnFailure: true), clock: clock)
    store = AbsentStore(memory)
  }

  private func batch(
    _ store: any BatchStore, _ work: @escaping @Sendable (BatchJobContext) async throws -> BatchProduct
  ) -> Batch {
    var configuration = Batch.Configuration()
    configuration.jobs[ComponentName<BatchJob>("work")] = BatchJob(work)
    configuration.clock = clock
    return Batch(store, configuration)
  }

  private func add(_ names: String...) async throws {
    try await memory.add(names.map { BatchItem($0, job: ComponentName("work")) })
  }

  /// Lets time pass in the steps in which the worker asks again, until a condition holds.
  ///
  /// It waits for a sleeper that is due soon: later ones are the ends of leases.
  private func pass(until condition: () async throws -> Bool) async throws {
    while try await !condition() {
      if let next = clock.untilNextSleeper, next <= .seconds(1) { clock.advance(by: next) } else { await Task.yield() }
    }
  }

  @Test(arguments: Set(AbsentStore.Call.allCases).subtracting([.change]))
  func `a store that is away for thirteen seconds delays the batch and fails no item`(
    _ call: AbsentStore.Call
  ) async throws {
    try await add("a", "b")
    let batch = batch(store) { context in
      try await context.confirm()
      if context.lease.item.name == "a", context.lease.retries == 0 { throw BatchRetry(after: .zero) }
      return BatchProduct()
    }
    batch.observe(on: .serial()) { _ in }
    store.leave([call])
    let begin = clock.now
    let running = Task { try await batch.run() }
    try await pass { begin.duration(to: clock.now) >= .seconds(13) }
    #expect(store.failed.current[call] ?? 0 > 10)
    store.leave([])
    try await pass { batch.worker.hasEnded }
    let summary = try await running.value
    #expect(summary.succeeded == 2 && summary.failed == 0 && summary.stoppedBy == nil)
  }

  @Test func `a worker that waits for others waits on while the store is away`() async throws {
    try await add("a")
    let lease = try #require(try await memory.lease(1, for: .seconds(3_600)).leases.first)
    let batch = batch(store) { _ in BatchProduct() }
    store.leave([.change])
    let begin = clock.now
    let running = Task { try await batch.run() }
    try await pass { begin.duration(to: clock.now) >= .seconds(13) }
    store.leave([])
    try await memory.release(lease.id, .unfinished)
    try await pass { batch.worker.hasEnded }
    #expect(try await running.value.succeeded == 1)
  }

  @Test func `a confirmation without an answer until the lease is over is a lost lease, and the item runs again`()
    async throws
  {
    try await add("a")
    let errors = Watched<[BatchError.Kind]>([])
    let store = store
    let batch = batch(store) { context in
      guard errors.current.isEmpty else { return BatchProduct() }
      store.leave([.renew])
      do { try await context.confirm() } catch let error as BatchError {
        errors.update { $0.append(error.kind) }
        store.leave([])
        throw error
      }
      return BatchProduct()
    }
    let begin = clock.now
    let running = Task { try await batch.run() }
    try await pass { !errors.current.isEmpty }
    #expect(errors.current == [.leaseLost])
    #expect((.seconds(30)...(.seconds(32))).contains(begin.duration(to: clock.now)))
    try await pass { batch.worker.hasEnded }
    #expect(try await running.value.succeeded == 1)
  }

  @Test func `a store that fails for good when a job confirms ends the worker, and the item is given back`()
    async throws
  {
    let store = AbsentStore(memory, isTransient: false)
    try await add("a")
    let batch = batch(store) { context in
      store.leave([.renew])
      try await context.confirm()
      return BatchProduct()
    }
    let error = await #expect(throws: BatchError.self) { try await batch.run() }
    #expect(error?.kind == .storeFull)
    let summary = try await memory.summary()
    #expect(summary.ready == 1 && summary.ended == 0)
  }

  @Test func `a store that stays away for the duration of a lease ends the worker with its error`() async throws {
    try await add("a")
    let batch = batch(store) { _ in BatchProduct() }
    store.leave(Set(AbsentStore.Call.allCases))
    let begin = clock.now
    let running = Task { try await batch.run() }
    try await pass { batch.worker.hasEnded }
    let error = await #expect(throws: BatchError.self) { try await running.value }
    #expect(error?.kind == .storeInUse)
    #expect((.seconds(30)...(.seconds(32))).contains(begin.duration(to: clock.now)))
    #expect(try await memory.summary().ready == 1)
  }

  @Test func `leases are renewed as soon as the store answers again`() async throws {
    try await add("a")
    let (gate, runs) = (gate, Watched(0))
    let batch = batch(store) { _ in
      runs.update { $0 += 1 }
      try await gate.wait()
      return BatchProduct()
    }
    batch.start()
    try await gate.waitForArrivals()
    // The sleepers are the next renewal and, in the store, the end of the lease.
    store.leave([.renew])
    for (failure, pause) in ([10] + Array(repeating: 1, count: 18)).enumerated() {
      try await clock.waitForSleepers(2)
      clock.advance(by: .seconds(pause))
      try await store.failed.wait { $0[.renew] == failure + 1 }
    }
    store.leave([])
    for (renewal, pause) in [1, 10, 10].enumerated() {
      try await clock.waitForSleepers(2)
      clock.advance(by: .seconds(pause))
      try await store.answered.wait { $0[.renew] == renewal + 1 }
    }
    #expect(runs.current == 1 && batch.itemsInFlight.count == 1)
    // Each renewal has extended the lease, so one that fails later than the first lease would have lasted is no loss.
    store.leave([.renew])
    let failures = store.failed.current[.renew] ?? 0
    try await clock.waitForSleepers(2)
    clock.advance(by: .seconds(10))
    try await store.failed.wait { $0[.renew] == failures + 1 }
    store.leave([])
    gate.open()
    #expect(try await batch.run().succeeded == 1 && runs.current == 1)
  }

  @Test func `a job whose lease is over while the store is away is stopped, and the item runs again`() async throws {
    try await add("a")
    let (gate, ends) = (gate, Watched<[Bool]>([]))
    let batch = batch(store) { _ in
      guard ends.current.isEmpty else { return BatchProduct() }
      do {
        try await gate.wait()
      } catch {
        ends.update { $0.append(error is CancellationError) }
        throw error
      }
      return BatchProduct()
    }
    let begin = clock.now
    let running = Task { try await batch.run() }
    try await gate.waitForArrivals()
    store.leave([.renew, .lease, .change, .summary])
    while ends.current.isEmpty {
      if let next = clock.untilNextSleeper, next <= .seconds(10) { clock.advance(by: next) } else { await Task.yield() }
    }
    #expect(ends.current == [true])
    #expect((.seconds(30)...(.seconds(32))).contains(begin.duration(to: clock.now)))
    store.leave([])
    try await pass { batch.worker.hasEnded }
    #expect(try await running.value.succeeded == 1)
  }
}
