import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

/// Tasks on the transport's own thread.
@Suite struct ExecutorTests {
  /// The name of the thread that asks.
  private static var threadName: String {
    let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
    return name?.trimmingCharacters(in: .newlines) ?? ""
  }

  private static let thread = "curlew-curl"

  @Test func `a task that prefers the executor is on the transport's thread, before and after each response`()
    async throws
  {
    let origin = try await ScriptedOrigin.start { _ in .ok("hello") }
    let transport = try CurlTransport()
    let loader = Loader(transport)
    let request = Request(.get, origin.url())
    try await withTaskExecutorPreference(transport.executor) {
      for _ in 0..<20 {
        #expect(Self.threadName == Self.thread)
        let (body, _) = try await loader.data(for: request, upTo: 100)
        #expect(body == Data("hello".utf8))
      }
      #expect(Self.threadName == Self.thread)
    }
    #expect(Self.threadName != Self.thread)
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `many tasks on the thread get their own bodies while others use the pool`() async throws {
    let origin = try await ScriptedOrigin.start { request in .ok(request.target) }
    let transport = try CurlTransport()
    let loader = Loader(transport)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        let request = Request(.get, origin.url("/\(number)"))
        let executor: (any TaskExecutor)? = number % 2 == 0 ? transport.executor : nil
        group.addTask(executorPreference: executor) {
          let (body, _) = try await loader.data(for: request, upTo: 100)
          #expect(body == Data("/\(number)".utf8))
        }
      }
      try await group.waitForAll()
    }
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a task on the thread is cancelled while it waits for a head`() async throws {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { _ in OriginReply(.wait(for: gate)) }
    let transport = try CurlTransport()
    let loader = Loader(transport)
    var request = Request(.get, origin.url())
    // On a busy machine the test itself may be kept waiting for longer than a server may be by default.
    request.options.timeouts.idle = .seconds(600)
    let task = Task(executorPreference: transport.executor) { [request] in
      try await loader.data(for: request, upTo: 100)
    }
    await gate.reached()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a task goes on behind the shutdown of its thread`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("hello") }
    let transport = try CurlTransport()
    let executor = transport.executor
    let request = Request(.get, origin.url())
    let task = Task(executorPreference: executor) { () async throws -> String in
      _ = try await Loader(transport).data(for: request, upTo: 100)
      await transport.shutdown()
      await Task.yield()
      do {
        _ = try await Loader(transport).data(for: request, upTo: 100)
        return "served"
      } catch let error as NetworkError {
        return error.kind == .transportShutDown ? Self.threadName : "\(error)"
      }
    }
    let name = try await task.value
    #expect(name != Self.thread && name != "served")
    // A new task that prefers what is gone runs all the same.
    #expect(await Task(executorPreference: executor) { 7 }.value == 7)
    await origin.stop()
  }
}
