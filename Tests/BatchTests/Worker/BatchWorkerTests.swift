import CurlewBatch
import CurlewCore
import CurlewRequests
import FoundationEssentials
import Testing

@testable import CurlewTestSupport

/// Workers that stop, lose their leases, or lose their store.
@Suite(.timeLimit(.minutes(10))) struct BatchWorkerTests {
  @Test func `a worker that stops gives its items back, and another one finishes them`() async throws {
    let store = MemoryBatchStore()
    let gate = ManualGate()
    let first = Batch(
      store,
      configuration { _ in
        try await gate.wait()
        return BatchProduct()
      })
    try await first.add((1...5).map { BatchItem("\($0)", job: ComponentName("work")) })
    let running = Task { try await first.run() }
    try await gate.waitForArrivals(5)
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(try await store.summary().ready == 5)
    await #expect(throws: CancellationError.self) { for try await _ in first {} }
    #expect(try await Batch(store, configuration { _ in BatchProduct() }).run().succeeded == 5)
  }

  @Test func `two workers share the items of one store`() async throws {
    let store = MemoryBatchStore(BatchRules(limit: 4))
    let done = Watched<[String]>([])
    let batches = (1...2).map { number in
      Batch(
        store,
        configuration { context in
          done.update { $0.append("\(number) \(context.lease.item.name)") }
          await Task.yield()
          return BatchProduct()
        })
    }
    try await store.add((1...200).map { BatchItem("\($0)", job: ComponentName("work")) })
    async let one = batches[0].run()
    async let other = batches[1].run()
    let summaries = try await [one, other]
    #expect(summaries.allSatisfy { $0.succeeded == 200 })
    #expect(done.current.count == 200)
  }

  @Test func `a worker that lost its lease learns of it before it publishes, and its result does not count`()
    async throws
  {
    let clock = ManualClock()
    let store = MemoryBatchStore(clock: clock)
    let errors = Watched<[BatchError.Kind]>([])
    let batch = Batch(
      store,
      configuration { context in
        if context.lease.note == nil {
          try await context.confirm(note: Data([1]))
          // The store takes the worker for dead.
          clock.advance(by: .seconds(31))
          do { try await context.confirm(note: Data([2])) } catch let error as BatchError {
            errors.update { $0.append(error.kind) }
          }
          return BatchProduct(output: Data("lost".utf8))
        }
        return BatchProduct(output: context.lease.note ?? Data())
      })
    try await batch.add([BatchItem("a", job: ComponentName("work"))])
    try await batch.run()
    #expect(errors.current == [.leaseLost])
    #expect(try await store.outcomes(after: 0, limit: 9).map(\.result) == [.succeeded(BatchProduct(output: Data([1])))])
  }

  @Test func `leases are renewed while a job runs`() async throws {
    let clock = ManualClock()
    let store = MemoryBatchStore(clock: clock)
    let gate = ManualGate()
    var configuration = configuration { _ in
      try await gate.wait()
      return BatchProduct()
    }
    configuration.clock = clock
    let batch = Batch(store, configuration)
    try await batch.add([BatchItem("a", job: ComponentName("work"))])
    batch.start()
    try await gate.waitForArrivals()
    for _ in 1...10 {
      // The worker's next beat, and the end of the lease for the store.
      try await clock.waitForSleepers(2)
      clock.advance(by: .seconds(10))
    }
    gate.open()
    #expect(try await batch.run().succeeded == 1)
  }

  @Test func `a store that fails ends the worker with its error`() async throws {
    let store = FailingStore()
    let batch = Batch(store, configuration { _ in BatchProduct() })
    let completions = Watched<[BatchError.Kind?]>([])
    batch.observe(on: .serial()) { event in
      guard case .completed(let result) = event else { return }
      completions.update { kinds in
        if case .failure(let error as BatchError) = result { kinds.append(error.kind) } else { kinds.append(nil) }
      }
    }
    try await batch.add([BatchItem("a", job: ComponentName("work"))])
    let error = await #expect(throws: BatchError.self) { try await batch.run() }
    #expect(error?.kind == .storeFull)
    #expect(completions.current == [.storeFull])
  }

  @Test func `an item that is leased again begins when its earlier job has ended`() async throws {
    let clock = ManualClock()
    let store = MemoryBatchStore(clock: clock)
    let (entered, left) = (Watched(0), ManualGate())
    let running = Watched((now: 0, most: 0))
    var configuration = configuration { _ in
      running.update { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      defer { running.update { $0.now -= 1 } }
      entered.update { $0 += 1 }
      guard entered.current == 1 else { return BatchProduct() }
      // This job does not notice that it was cancelled.
      await Task { try? await left.wait() }.value
      return BatchProduct()
    }
    configuration.clock = clock
    let otherHasRun = ManualGate()
    configuration.jobs[ComponentName<BatchJob>("other")] = BatchJob { _ in
      otherHasRun.open()
      return BatchProduct()
    }
    let batch = Batch(store, configuration)
    try await batch.add([BatchItem("a", job: ComponentName("work"))])
    batch.start()
    try await entered.wait { $0 == 1 }
    // The lease is lost before it is renewed, and the worker leases the item again.
    try await clock.waitForSleepers(2)
    let first = try await store.summary()
    clock.advance(by: .seconds(31))
    while try await store.summary().revision < first.revision + 2 { await Task.yield() }
    #expect(try await store.summary().running == 1)
    // An item that is leased later begins.
    try await batch.add([BatchItem("b", job: ComponentName("other"))])
    try await otherHasRun.wait()
    #expect(entered.current == 1)
    left.open()
    #expect(try await batch.run().succeeded == 2)
    #expect(entered.current == 2 && running.current.most == 1)
  }

  private func configuration(
    _ work: @escaping @Sendable (BatchJobContext) async throws -> BatchProduct
  ) -> Batch.Configuration {
    var configuration = Batch.Configuration()
    configuration.jobs[ComponentName<BatchJob>("work")] = BatchJob(work)
    return configuration
  }
}
