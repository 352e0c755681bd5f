import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct ConnectivityWaitTests {
  /// A monitor that a test drives.
  private final class ManualMonitor: ReachabilityMonitoring {
    private struct State {
      var status: ReachabilityStatus
      var listeners: [AsyncStream<ReachabilityStatus>.Continuation] = []
    }
    private let state: Guarded<State>
    init(_ status: ReachabilityStatus) { state = Guarded(State(status: status)) }
    var status: ReachabilityStatus { state.withLock { $0.status } }
    var listenerCount: Int { state.withLock { $0.listeners.count } }

    func set(_ status: ReachabilityStatus) {
      let listeners = state.withLock { state in
        state.status = status
        return state.listeners
      }
      for listener in listeners { listener.yield(status) }
    }

    func stop() {
      for listener in state.withLock({ $0.listeners }) { listener.finish() }
    }

    func changes() -> AsyncStream<ReachabilityStatus> {
      AsyncStream { continuation in
        let status = state.withLock { state in
          state.listeners.append(continuation)
          return state.status
        }
        continuation.yield(status)
      }
    }
  }

  private let clock = ManualClock()
  private let waits = Collected<Request>()

  private func load(
    _ transport: any Transport, _ monitor: ManualMonitor, limit: Duration? = nil, _ url: URL = Fixture.url
  ) -> Task<String, any Error> {
    let wait = ConnectivityWait(monitor, limit: limit) { [waits] in waits.append($0) }
    let loader = Loader(transport, interceptors: [wait], settings: Fixture.settings(clock: clock))
    return Task {
      String(decoding: try await loader.load(Request(.get, url)).body.collect(upTo: 99), as: UTF8.self)
    }
  }

  @Test func `with a network, or one that is not known, nothing waits`() async throws {
    for status: ReachabilityStatus in [.reachableViaWiFi, .reachableViaCellular, .unknown] {
      #expect(try await load(StubTransport(.text("x")), ManualMonitor(status)).value == "x")
    }
    #expect(waits.all.isEmpty)
  }

  @Test func `without one a request waits until there is one`() async throws {
    let monitor = ManualMonitor(.notReachable)
    let stub = StubTransport(.text("x"))
    let loading = load(stub, monitor)
    while monitor.listenerCount == 0 { await Task.yield() }
    for _ in 0..<50 { await Task.yield() }
    #expect(stub.requestCount == 0 && waits.all.count == 1)
    monitor.set(.reachableViaCellular)
    #expect(try await loading.value == "x")
  }

  @Test func `a failure that the lack of a network explains is sent again when there is one`() async throws {
    let monitor = ManualMonitor(.reachableViaWiFi)
    let stub = StubTransport { asked in
      guard asked.index == 0 else { return .text("x") }
      monitor.set(.notReachable)
      return .failing(Fixture.lost(.nameLookupFailed, maybeProcessed: false))
    }
    let loading = load(stub, monitor)
    while waits.all.isEmpty { await Task.yield() }
    monitor.set(.reachableViaWiFi)
    #expect(try await loading.value == "x")
    #expect(stub.requestCount == 2)
  }

  @Test func `a failure that it does not explain, or that may have been acted on, stands`() async throws {
    let reachable = ManualMonitor(.reachableViaWiFi)
    let refused = load(StubTransport(.failing(Fixture.lost(.connectionFailed, maybeProcessed: false))), reachable)
    #expect(await Fixture.kind { _ = try await refused.value } == .connectionFailed)

    let monitor = ManualMonitor(.reachableViaWiFi)
    let stub = StubTransport { _ in
      monitor.set(.notReachable)
      return .failing(Fixture.lost(.connectionFailed, maybeProcessed: true))
    }
    #expect(await Fixture.kind { _ = try await load(stub, monitor).value } == .connectionFailed)
    #expect(waits.all.isEmpty)
  }

  @Test func `past the limit it is sent anyway, once`() async throws {
    let monitor = ManualMonitor(.notReachable)
    let stub = StubTransport(.failing(Fixture.lost(.connectionFailed, maybeProcessed: false)))
    let loading = load(stub, monitor, limit: .seconds(60))
    try await clock.waitForSleepers()
    #expect(stub.requestCount == 0)
    clock.advance(by: .seconds(60))
    #expect(await Fixture.kind { _ = try await loading.value } == .connectionFailed)
    #expect(stub.requestCount == 1)
  }

  @Test func `it ends with cancellation, and with a monitor that stops it is sent`() async throws {
    let cancelled = ManualMonitor(.notReachable)
    let loading = load(StubTransport(.text("x")), cancelled)
    while cancelled.listenerCount == 0 { await Task.yield() }
    loading.cancel()
    await #expect(throws: CancellationError.self) { try await loading.value }

    let stopped = ManualMonitor(.notReachable)
    let going = load(StubTransport(.text("x")), stopped)
    while stopped.listenerCount == 0 { await Task.yield() }
    stopped.stop()
    #expect(try await going.value == "x")
  }

  @Test(arguments: ["http://localhost/", "http://127.0.0.1:8080/", "http://[::1]/", "http://app.localhost/"])
  func `this machine needs no network`(address: String) async throws {
    let url = try #require(URL(string: address))
    #expect(try await load(StubTransport(.text("x")), ManualMonitor(.notReachable), url).value == "x")
    #expect(waits.all.isEmpty)
  }

  @Test(arguments: ["http://127.example/", "http://localhost.example/"])
  func `a name that only looks like this machine's needs one`(address: String) async throws {
    let url = try #require(URL(string: address))
    let monitor = ManualMonitor(.notReachable)
    let loading = load(StubTransport(.text("x")), monitor, url)
    while waits.all.isEmpty { await Task.yield() }
    monitor.set(.reachableViaWiFi)
    #expect(try await loading.value == "x")
  }
}
