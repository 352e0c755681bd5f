import CurlewCore
import CurlewTestSupport
import CurlewURLSessionTransport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct LifecycleTests {
  @Test func `shutting down under fire ends every request in an answer or transportShutDown`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("x") }
    for round in 0..<30 {
      let transport = URLSessionTransport()
      if round % 3 == 0 { _ = try await transport.fetch(Request(.get, origin.url())) }
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<20 {
          group.addTask {
            let request = Request(number % 2 == 0 ? .get : .post, origin.url())
            do {
              let answer = try await transport.fetch(request)
              #expect(answer.body == Data("x".utf8))
            } catch {
              #expect((error as? NetworkError)?.kind == .transportShutDown, "\(error)")
            }
          }
        }
        group.addTask { await transport.shutdown() }
        group.addTask { await transport.shutdown() }
      }
      let error = try await failure { _ = try await transport.fetch(Request(.get, origin.url())) }
      #expect(error.kind == .transportShutDown)
      #expect(!error.maybeProcessed)
    }
    await origin.stop()
  }

  @Test func `cancelling at any moment ends in CancellationError or the answer`() async throws {
    try await withOrigin { request in
      request.path == "/drip"
        ? OriginReply(
          .head(200, ["Content-Length": "2000"]),
          .drip([UInt8](repeating: 1, count: 2000), size: 100, every: .milliseconds(1)))
        : .ok(.seeded(1), count: 200_000)
    } _: { origin, transport in
      var random = SystemRandomNumberGenerator()
      // Each yield waits for whatever else runs, and that is several times slower under a sanitizer.
      let rounds = getenv("CURLEW_SANITIZER") == nil ? 200 : 20
      for number in 0..<rounds {
        let yields = Int.random(in: 0..<400, using: &random)
        let task = Task {
          try await transport.fetch(
            Request(
              number % 3 == 0 ? .post : .get, origin.url(number % 2 == 0 ? "/drip" : "/"),
              body: number % 3 == 0 ? .bytes(Data(count: 100_000)) : .empty)
          )
          .body.count
        }
        for _ in 0..<yields { await Task.yield() }
        task.cancel()
        switch await task.result {
        case .success(let count): #expect(count == 2000 || count == 200_000)
        case .failure(let error): #expect(error is CancellationError, "\(error)")
        }
      }
      let last = try await transport.fetch(Request(.get, origin.url())).body
      #expect(last.count == 200_000)
      await origin.until { $0.connectionsOpen <= 1 }
    }
  }

  @Test func `a request that is given up in the line is never sent`() async throws {
    let gate = OriginGate()
    var configuration = URLSessionTransport.Configuration()
    configuration.requestsAtOnce = 1
    try await withOrigin(OriginOptions(), configuration) { _ in
      .ok("x").pausing(at: gate)
    } _: { origin, transport in
      async let held = transport.fetch(Request(.get, origin.url("/held")))
      await gate.reached()
      // It stands in the line when it first waits.
      let waiting = Task.immediate { try await transport.fetch(Request(.get, origin.url("/waiting"))) }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      gate.open()
      _ = try await held
      _ = try await transport.fetch(Request(.get, origin.url("/next")))
      #expect(origin.requests.map(\.path) == ["/held", "/next"])
    }
  }

  @Test func `a transport that is only forgotten ends with its last body`() async throws {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { _ in
      OriginReply(.head(200, ["Content-Length": "10"]), .body("hello"), .wait(for: gate), .body("world"))
    }
    do {
      let response = try await URLSessionTransport().send(Request(.get, origin.url()), in: Exchange())
      _ = try await URLSessionTransport().send(Request(.get, origin.url()), in: Exchange()).head
      gate.open()
      #expect(try await response.body.collect(upTo: 100) == Data("helloworld".utf8))
    }
    #expect(await origin.until { $0.connectionsOpen == 0 })
    await origin.stop()
  }

  @Test func `transports leave no descriptor and no thread of their own behind`() async {
    await #expect(processExitsWith: .success) {
      let origin = try await ScriptedOrigin.start { request in
        request.path == "/stall" ? .ok("x").after(.stall) : .ok("x")
      }
      func exercise() async throws {
        let transport = URLSessionTransport()
        for _ in 0..<3 { _ = try await transport.fetch(Request(.get, origin.url())) }
        _ = try await transport.fetch(Request(.post, origin.url(), body: .text("x")))
        let before = origin.counters.requests
        let stalled = Task { try await transport.fetch(Request(.get, origin.url("/stall"))) }
        await origin.until { $0.requests > before }
        await transport.shutdown()
        _ = await stalled.result
      }
      for _ in 0..<5 { try await exercise() }
      let before = Census()
      for _ in 0..<40 { try await exercise() }
      let after = Census()
      // Dispatch keeps a few idle threads for the process, not for a transport.
      #expect(after.descriptors <= before.descriptors + 10)
      #expect(after.threads <= before.threads + 20)
      await origin.stop()
    }
  }
}

/// What this process holds.
private struct Census {
  let descriptors = Census.entries(of: "/proc/self/fd")
  let threads = Census.entries(of: "/proc/self/task")

  private static func entries(of folder: String) -> Int {
    guard let directory = opendir(folder) else { return 0 }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    return count
  }
}
