import CurlewBatch
import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewRequests
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewTestSupport

@Suite(.timeLimit(.minutes(10))) struct BatchRequestTests {
  @Test func `a request's output is the body of its response, and a refused status fails it by name`() async throws {
    let stub = StubTransport { asked in
      asked.request.url.path == "/good" ? .text("hello") : .text("gone", status: .gone)
    }
    let batch = Batch(over: Loader(stub))
    try await batch.add([
      .request("good", Request(.get, "http://a.example/good")), .request("bad", Request(.get, "http://a.example/bad")),
    ])
    var results: [String: BatchResult] = [:]
    for try await outcome in batch { results[outcome.name] = outcome.result }
    #expect(results["good"] == .succeeded(BatchProduct(output: Data("hello".utf8), bytes: 5)))
    guard case .failed(let failure)? = results["bad"] else {
      Issue.record("bad ended as \(String(describing: results["bad"]))")
      return
    }
    #expect(failure.kind == "unacceptable-status")
  }

  @Test func `all items share one budget of retries`() async throws {
    let sent = Watched(0)
    let stub = StubTransport { _ in
      sent.update { $0 += 1 }
      return .text("busy", status: .serviceUnavailable)
    }
    var policy = RetryPolicy(limit: 5, delay: .fixed(.zero))
    policy.originBudget = RetryBudget(capacity: 7, perSuccess: 0, perSecond: 0)
    var configuration = Batch.Configuration()
    configuration.jobs[.request] = .request(over: Loader(stub), retry: policy)
    let batch = Batch(MemoryBatchStore(), configuration)
    try await batch.add(try (1...4).map { try .request("\($0)", Request(.get, "http://a.example/\($0)")) })
    #expect(try await batch.run().failed == 4)
    #expect(sent.current == 4 + 7)
  }

  @Test(arguments: ["http://u:p@a.example/", "http://a.example/?token=x", "http://a.example/"])
  func `a request with credentials is stored only where that is allowed`(url: String) async throws {
    var request = try Request(.get, url)
    if !url.contains("@"), !url.contains("?") { request.headerFields[.authorization] = "Basic eDp5" }
    for make in [
      { try BatchItem.request("a", request, includesSecrets: $0) },
      { try BatchItem.download("a", request, to: "/d/a", includesSecrets: $0) },
    ] as [(Bool) throws -> BatchItem] {
      let error = #expect(throws: BatchError.self) { _ = try make(false) }
      #expect(error?.kind == .secretsInItem && error?.item == "a")
      let input = try make(true).input
      let stored = try JSONDecoder().decode(BatchRequest.self, from: input).request
      #expect(stored.url == request.url && stored.headerFields == request.headerFields)
    }
  }

  @Test func `items know the host of their request`() throws {
    #expect(try BatchItem.request("a", Request(.get, "http://A.example:81/x")).host == "a.example")
  }
}
