import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct SynchronousRequestTests {
  private final class Work {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  typealias Outcome = Result<(Data, ResponseHead), any Error>

  /// Runs work on a thread of its own.
  static func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      var thread = pthread_t()
      let context = Unmanaged.passRetained(Work { continuation.resume(returning: work()) }).toOpaque()
      pthread_create(
        &thread, nil,
        { context in
          guard let context else { return nil }
          Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
          return nil
        }, context)
      pthread_detach(thread)
    }
  }

  static func send(_ loader: Loader, _ request: Request, limit: Int = 100) -> Outcome {
    Outcome { try Connection.sendSynchronousRequest(request, over: loader, upTo: limit) }
  }

  @Test func `on a thread of its own it waits and returns what came`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("hello") }
    let transport = try CurlTransport()
    let loader = Loader(transport)
    let url = origin.url()
    let (data, head) = try await Self.onThread { Self.send(loader, Request(.get, url)) }.get()
    #expect(String(decoding: data, as: UTF8.self) == "hello" && head.status == .ok)
    let tooMuch = await Self.onThread { Self.send(loader, Request(.get, url), limit: 4) }
    #expect(await Fixture.kind { _ = try tooMuch.get() } == .bodyTooLarge)
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `in a task it says that it would deadlock, before anything is sent`() async {
    let stub = StubTransport(.text("x"))
    let outcome = Self.send(Loader(stub), Fixture.request())
    #expect(await Fixture.kind { _ = try outcome.get() } == .wouldDeadlock)
    #expect(stub.requestCount == 0)
  }

  @Test func `in a delegate method it says so, too`() async throws {
    final class Loading: ConnectionDelegate {
      let stub: StubTransport
      let outcomes = Collected<SynchronousRequestTests.Outcome>()
      init(_ stub: StubTransport) { self.stub = stub }
      func connection(_ connection: Connection, didReceive data: Data) {
        outcomes.append(SynchronousRequestTests.send(Loader(stub), Fixture.request()))
      }
    }
    let stub = StubTransport(.text("x"))
    let delegate = Loading(stub)
    let checker = DelegateOrderChecker(wrapping: delegate)
    Connection(Fixture.request(), over: Loader(stub), delegate: checker).start()
    try await checker.waitForEnd()
    #expect(checker.violations.isEmpty)
    for outcome in delegate.outcomes.all {
      #expect(await Fixture.kind { _ = try outcome.get() } == .wouldDeadlock)
    }
    #expect(delegate.outcomes.all.count == 1)
  }

  @Test func `on the transport's own thread it says so, too`() async throws {
    final class Loading: BodySink {
      let loader: Loader
      let request: Request
      let outcomes = Collected<SynchronousRequestTests.Outcome>()
      init(_ loader: Loader, _ request: Request) {
        self.loader = loader
        self.request = request
      }
      func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
        outcomes.append(SynchronousRequestTests.send(loader, request))
        return .more
      }
    }
    let origin = try await ScriptedOrigin.start { _ in .ok(.repeating(0), count: 100_000) }
    let transport = try CurlTransport()
    let loader = Loader(transport)
    let sink = Loading(loader, Request(.get, origin.url()))
    try await loader.load(Request(.get, origin.url())).body.drain(into: sink)
    #expect(!sink.outcomes.all.isEmpty)
    for outcome in sink.outcomes.all {
      #expect(await Fixture.kind { _ = try outcome.get() } == .wouldDeadlock)
    }
    await transport.shutdown()
    await origin.stop()
  }
}
