import CurlewBatch
import CurlewCore
import CurlewLoading
import CurlewOperations
import CurlewRequests
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(2))) struct BatchJobOperationTests {
  @Test func `an operation runs as an item, and its failure and its cancellation are the item's`() async throws {
    let gate = ManualGate()
    let stub = StubTransport { asked in
      if asked.request.url.path == "/held" { try await gate.wait() }
      return asked.request.url.path == "/good" ? .text("hello") : .text("gone", status: .gone)
    }
    let loader = Loader(stub)
    var configuration = Batch.Configuration()
    configuration.jobs[.operation] = .operation { context in
      HTTPRequestOperation(try Request(.get, "http://a.example/\(context.lease.item.name)"), over: loader)
    }
    let batch = Batch(MemoryBatchStore(), configuration)
    try await batch.add(["good", "bad", "held"].map { BatchItem($0, job: .operation) })
    batch.start()
    try await gate.waitForArrivals()
    try await batch.cancel("held")
    var results: [String: BatchResult] = [:]
    for try await outcome in batch { results[outcome.name] = outcome.result }
    #expect(results["good"] == .succeeded(BatchProduct(bytes: 5)))
    #expect(results["held"] == .cancelled)
    guard case .failed(let failure)? = results["bad"] else {
      Issue.record("bad ended as \(String(describing: results["bad"]))")
      return
    }
    #expect(failure.kind == "unacceptable-status")
  }
}

extension ComponentName<BatchJob> {
  fileprivate static let operation = Self("operation")
}
