import CurlewBatch
import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Items whose server sends nothing any more.
@Suite(.timeLimit(.minutes(10))) struct StalledItemTests {
  private static let stall = StubAnswer.failing(
    NetworkError(.idleTimedOut, stage: .receivingBody, message: "The server sends nothing."))

  private let clock = ManualClock()
  private let memory = MemoryFileSystem(capacity: 64 << 20)

  /// Runs items one at a time, and lets the time of each wait pass.
  private func run(_ items: [BatchItem], over stub: StubTransport) async throws -> [BatchOutcome] {
    try memory.createDirectory("/d")
    let store = MemoryBatchStore(BatchRules(limit: 1, perHost: nil), clock: clock)
    let batch = Batch(store, Batch.Configuration(over: Loader(stub), on: DownloadDisk(memory)))
    try await batch.add(items)
    let running = Task { try await batch.run() }
    while try await !store.summary().isComplete {
      // A wait before a retry is the only sleeper of at most 30 s while nothing runs.
      if try await store.summary().running == 0, let next = clock.untilNextSleeper, next <= .seconds(30) {
        clock.advance(by: next)
      } else {
        await Task.yield()
      }
    }
    _ = try await running.value
    return try await store.outcomes(after: 0, limit: 10)
  }

  @Test(arguments: [true, false])
  func `an item that stalls gives its place to others, and is tried again later`(downloads: Bool) async throws {
    let sent = Watched<[String]>([])
    let stub = StubTransport { asked in
      sent.update { $0.append(asked.request.url.path) }
      return asked.index == 0 ? Self.stall : .text("well")
    }
    let items = try ["stalls", "other"].map { name in
      let request = try Request(.get, "http://a.test/\(name)")
      return downloads ? try BatchItem.download(name, request, to: "/d/\(name)") : try .request(name, request)
    }
    let outcomes = try await run(items, over: stub)
    #expect(outcomes.map(\.name) == ["other", "stalls"] && outcomes.allSatisfy(\.result.isSuccess))
    #expect(sent.current == ["/stalls", "/other", "/stalls"])
  }

  @Test func `an item that stalls each time fails after twelve retries`() async throws {
    let stub = StubTransport(Self.stall)
    let outcomes = try await run([try .download("a", Request(.get, "http://a.test/a"), to: "/d/a")], over: stub)
    guard case .failed(let failure)? = outcomes.first?.result else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(failure.kind == NetworkError.Kind.idleTimedOut.rawValue && stub.requestCount == 13)
  }

  @Test func `what must not be repeated, or allows no retries, fails when it stalls`() async throws {
    let stub = StubTransport(Self.stall)
    var unwilling = BatchDownload(try Request(.get, "http://a.test/b"), to: "/d/b")
    unwilling.retries = 0
    let items = [
      try BatchItem.request("a", Request(.post, "http://a.test/a")), try BatchItem.download("b", unwilling),
    ]
    let outcomes = try await run(items, over: stub)
    #expect(outcomes.count == 2 && outcomes.allSatisfy { !$0.result.isSuccess } && stub.requestCount == 2)
  }
}
