import CurlewBatch
import CurlewCore
import CurlewRequests
import FoundationEssentials
import Testing

@testable import CurlewTestSupport

@Suite(.timeLimit(.minutes(10))) struct BatchTests {
  private struct Broken: Error {}

  @Test func `jobs run after what they depend on, and the summary counts how they ended`() async throws {
    let batch = Batch()
    let order = Watched<[String]>([])
    for (name, dependencies) in [("a", []), ("b", ["a"]), ("c", ["a", "b"]), ("alone", [])] {
      try await batch.add(name, after: dependencies) { context in
        order.update { $0.append(context.lease.item.name) }
        return BatchProduct(output: Data(name.utf8), bytes: 10)
      }
    }
    try await batch.add("bad") { _ in throw Broken() }
    try await batch.add("after bad", after: ["bad"]) { _ in BatchProduct() }
    let summary = try await batch.run()
    #expect([summary.succeeded, summary.failed, summary.skipped, summary.total] == [4, 1, 1, 6])
    #expect(summary.isComplete && summary.progress.fraction == 1 && summary.progress.endedBytes == 40)
    #expect(order.current.filter { $0 != "alone" } == ["a", "b", "c"])
  }

  @Test func `an iteration starts the batch and names what failed and why`() async throws {
    let batch = Batch()
    try await batch.add("good") { _ in BatchProduct() }
    try await batch.add("bad") { _ in throw NetworkError(.notInCache, stage: .preparing, message: "Stop.") }
    try await batch.add("unlucky", after: ["bad"]) { _ in BatchProduct() }
    var results: [String: BatchResult] = [:]
    for try await outcome in batch { #expect(results.updateValue(outcome.result, forKey: outcome.name) == nil) }
    #expect(
      results == [
        "good": .succeeded(BatchProduct()),
        "bad": .failed(
          BatchFailure(kind: "not-in-cache", message: "Stop. (not-in-cache, while preparing the request)")),
        "unlucky": .skipped(because: "bad"),
      ])
  }

  @Test func `an empty batch completes, and a job that nobody has fails by its name`() async throws {
    #expect(try await Batch().run() == BatchSummary())
    let batch = Batch()
    try await batch.add([BatchItem("a", job: ComponentName("nobody's"))])
    try await batch.run()
    let outcome = try #require(await batch.store.outcomes(after: 0, limit: 1).first)
    guard case .failed(let failure) = outcome.result else { throw Broken() }
    #expect(failure.kind == NetworkError.Kind.unknownComponent.rawValue && failure.message.contains("nobody's"))
  }

  @Test func `a paused item gives back its place, and begins again when it is resumed and there is one`() async throws {
    let batch = Batch(MemoryBatchStore(BatchRules(limit: 1)))
    let (gate, other) = (ManualGate(), ManualGate())
    let runs = Watched(0)
    try await batch.add("a") { _ in
      runs.update { $0 += 1 }
      try await gate.wait()
      return BatchProduct()
    }
    try await batch.add("b") { _ in
      try await other.wait()
      return BatchProduct()
    }
    batch.start()
    try await gate.waitForArrivals()
    #expect(batch.itemsInFlight.map(\.name) == ["a"])
    #expect(try await batch.pause("a"))
    try await other.waitForArrivals()
    #expect(try await batch.summary.paused == 1)
    #expect(try await batch.resume("a"))
    #expect(gate.isOpen == false && runs.current == 1)
    gate.open()
    other.open()
    let summary = try await batch.run()
    #expect(summary.succeeded == 2 && runs.current == 2)
  }

  @Test func `a paused batch runs nothing until it is resumed`() async throws {
    let batch = Batch(MemoryBatchStore(BatchRules(limit: 2)))
    let gate = ManualGate()
    let running = Watched(0)
    for name in ["a", "b", "c"] {
      try await batch.add(name) { _ in
        running.update { $0 += 1 }
        defer { running.update { $0 -= 1 } }
        try await gate.wait()
        return BatchProduct()
      }
    }
    batch.start()
    try await gate.waitForArrivals(2)
    #expect(try await batch.pause())
    try await running.wait { $0 == 0 }
    while try await batch.summary.running > 0 { await Task.yield() }
    #expect(try await batch.summary.ready == 3)
    gate.open()
    #expect(running.current == 0)
    #expect(try await batch.resume())
    #expect(try await batch.run().succeeded == 3)
  }

  @Test func `a cancelled batch completes, with what runs, waits and is paused cancelled`() async throws {
    let batch = Batch(MemoryBatchStore(BatchRules(limit: 2)))
    let gate = ManualGate()
    for name in ["a", "b", "c", "paused"] {
      try await batch.add(name) { _ in
        try await gate.wait()
        return BatchProduct()
      }
    }
    try await batch.add("blocked", after: ["a"]) { _ in BatchProduct() }
    _ = try await batch.pause("paused")
    batch.start()
    try await gate.waitForArrivals(2)
    #expect(try await batch.cancel())
    let summary = try await batch.run()
    #expect(summary.cancelled == 5 && summary.isComplete)
  }

  @Test func `one item is cancelled and the others go on`() async throws {
    let batch = Batch()
    let gate = ManualGate()
    for name in ["a", "b"] {
      try await batch.add(name) { _ in
        try await gate.wait()
        return BatchProduct()
      }
    }
    batch.start()
    try await gate.waitForArrivals(2)
    #expect(try await batch.cancel("a"))
    while try await batch.summary.cancelled == 0 { await Task.yield() }
    gate.open()
    let summary = try await batch.run()
    #expect(summary.cancelled == 1 && summary.succeeded == 1)
  }

  @Test func `a batch that stops on failures cancels what runs and skips the rest`() async throws {
    let batch = Batch(MemoryBatchStore(BatchRules(limit: 2, stopsOnFailure: true)))
    let gate = ManualGate()
    try await batch.add("runs") { _ in
      try await gate.wait()
      return BatchProduct()
    }
    try await batch.add("fails") { _ in
      try await gate.waitForArrivals()
      throw Broken()
    }
    try await batch.add("waits") { _ in BatchProduct() }
    let summary = try await batch.run()
    #expect([summary.failed, summary.cancelled, summary.skipped] == [1, 1, 1])
    #expect(summary.stoppedBy == "fails")
  }

  @Test func `a job that asks for it is tried again`() async throws {
    let batch = Batch()
    try await batch.add("a") { context in
      guard context.lease.retries == 2 else { throw BatchRetry(after: .zero) }
      return BatchProduct(output: Data([7]))
    }
    for try await outcome in batch { #expect(outcome.result == .succeeded(BatchProduct(output: Data([7])))) }
  }

  @Test func `an output beyond the limit fails its item`() async throws {
    let batch = Batch()
    try await batch.add("a") { _ in BatchProduct(output: Data(count: BatchLimits.outputBytes + 1)) }
    #expect(try await batch.run().failed == 1)
  }

  @Test func `a chain runs in its order, and stops where a link fails`() async throws {
    let batch = Batch(
      MemoryBatchStore(),
      {
        var configuration = Batch.Configuration()
        configuration.jobs[ComponentName<BatchJob>("work")] = BatchJob { context in
          if context.lease.item.name == "3" { throw Broken() }
          return BatchProduct()
        }
        return configuration
      }())
    let items = (1...5).map { BatchItem("\($0)", job: ComponentName("work")) }
    #expect(try await batch.add(BatchChain(items)) == 5)
    var names: [String] = []
    for try await outcome in batch { names.append(outcome.name) }
    #expect(names == ["1", "2", "3", "4", "5"])
    #expect(try await batch.summary.skipped == 2)
  }

  @Test func `a second closure for the name of an item is refused, and the first one runs`() async throws {
    let batch = Batch()
    try await batch.add("a") { _ in BatchProduct(output: Data([1])) }
    let error = await #expect(throws: BatchError.self) { try await batch.add("a") { _ in BatchProduct() } }
    #expect(error?.kind == .duplicateItem)
    for try await outcome in batch { #expect(outcome.result == .succeeded(BatchProduct(output: Data([1])))) }
  }
}
