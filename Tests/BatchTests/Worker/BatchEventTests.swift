import CurlewBatch
import CurlewCore
import Testing

@testable import CurlewTestSupport

@Suite(.timeLimit(.minutes(10))) struct BatchEventTests {
  @Test func `each item begins before it ends, each end is told once, and the completion comes once and last`()
    async throws
  {
    let store = MemoryBatchStore(BatchRules(limit: 3))
    let batch = Batch(store)
    let events = Watched<[String]>([])
    batch.observe(on: .serial()) { event in
      switch event {
      case .began(let item): events.update { $0.append("began \(item.name)") }
      case .progressed(let summary, _): events.update { $0.append("progress \(summary.progress.fraction)") }
      case .ended(let outcome): events.update { $0.append("ended \(outcome.name)") }
      case .completed(let result): events.update { $0.append("completed \((try? result.get())?.ended ?? -1)") }
      }
    }
    for number in 1...20 {
      try await batch.add("\(number)", after: number > 10 ? ["\(number - 10)"] : []) { _ in BatchProduct() }
    }
    try await batch.cancel("20")
    try await batch.run()
    let told = events.current
    #expect(told.last == "completed 20")
    #expect(told.dropLast().last == "progress 1.0")
    #expect(told.filter { $0.hasPrefix("completed") }.count == 1)
    for number in 1...20 {
      #expect(told.filter { $0 == "ended \(number)" }.count == 1)
      guard number < 20 else { continue }
      let (began, ended) = (told.firstIndex(of: "began \(number)"), told.firstIndex(of: "ended \(number)"))
      #expect(try #require(began) < #require(ended))
    }
    #expect(!told.contains("began 20"))
  }

  @Test func `a delegate is told the same, and nothing once it is gone`() async throws {
    final class Counter: BatchDelegate {
      let calls = Watched<[String]>([])
      func batch(_ batch: Batch, didBegin item: BatchItem) { calls.update { $0.append("begin") } }
      func batch(_ batch: Batch, didEnd outcome: BatchOutcome) { calls.update { $0.append("end") } }
      func batch(_ batch: Batch, didProgress summary: BatchSummary, items: [BatchItemProgress]) {
        calls.update { $0.append("progress") }
      }
      func batch(_ batch: Batch, didCompleteWith result: Result<BatchSummary, any Error>) {
        calls.update { $0.append("complete") }
      }
    }
    let counter = Counter()
    var configuration = Batch.Configuration()
    configuration.progressInterval = .seconds(3_600)
    let batch = Batch(MemoryBatchStore(), configuration)
    batch.setDelegate(counter, on: .serial())
    batch.setDelegate(Counter(), on: .serial())
    try await batch.add("a") { _ in BatchProduct() }
    try await batch.run()
    #expect(counter.calls.current == ["begin", "end", "progress", "complete"])
  }

  @Test func `progress names what is in flight, with its bytes`() async throws {
    let clock = ManualClock()
    var configuration = Batch.Configuration()
    configuration.clock = clock
    let batch = Batch(MemoryBatchStore(clock: clock), configuration)
    let gate = ManualGate()
    let seen = Watched<(fraction: Double, items: [BatchItemProgress])?>(nil)
    batch.observe(on: .serial()) { event in
      guard case .progressed(let summary, let items) = event, !items.isEmpty else { return }
      seen.update { $0 = (summary.progress.fraction, items) }
    }
    try await batch.add("a", expectedBytes: 100) { context in
      context.report(completed: 25, of: 100)
      try await gate.wait()
      return BatchProduct(bytes: 100)
    }
    try await batch.add("b", after: ["a"], expectedBytes: 100) { _ in BatchProduct(bytes: 100) }
    batch.start()
    try await gate.waitForArrivals()
    while seen.current == nil {
      clock.advance(by: .milliseconds(500))
      await Task.yield()
    }
    #expect(seen.current?.items == [BatchItemProgress(name: "a", completed: 25, total: 100)])
    #expect(seen.current?.fraction == 0.125)
    gate.open()
    try await batch.run()
  }
}
