import CurlewBatch
import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewOperations
import CurlewRequests
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct BatchJobOperationTests {
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

  @Test func `a request, a download, an operation and a closure follow each other in one batch`() async throws {
    let paths = Guarded<[String]>([])
    let stub = StubTransport { asked in
      paths.withLock { $0.append(asked.request.url.path) }
      return .text(asked.request.url.path)
    }
    let loader = Loader(stub)
    let memory = MemoryFileSystem()
    var configuration = Batch.Configuration(over: loader, on: DownloadDisk(memory))
    configuration.jobs[.operation] = .operation { _ in
      HTTPRequestOperation(try Request(.get, "http://a.example/operation"), over: loader)
    }
    let batch = Batch(MemoryBatchStore(), configuration)
    try await batch.add([
      BatchItem("operation", job: .operation, dependencies: ["download"]),
      .download("download", Request(.get, "http://a.example/file"), to: "/file", after: ["request"]),
      .request("request", Request(.get, "http://a.example/request")),
    ])
    try await batch.add("closure", after: ["operation", "request"]) { _ in
      BatchProduct(output: Data(memory.contents(of: "/file") ?? []))
    }
    var outcomes: [BatchOutcome] = []
    for try await outcome in batch { outcomes.append(outcome) }
    #expect(outcomes.map(\.name) == ["request", "download", "operation", "closure"])
    #expect(outcomes.allSatisfy { $0.result.isSuccess })
    #expect(outcomes.last?.result == .succeeded(BatchProduct(output: Data("/file".utf8))))
    #expect(paths.withLock { $0 } == ["/request", "/file", "/operation"])
  }
}

extension ComponentName<BatchJob> {
  fileprivate static let operation = Self("operation")
}
