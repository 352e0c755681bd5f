import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewLoading

@Suite(.timeLimit(.minutes(10))) struct ConnectivityWaitTests {
  private let clock = ManualClock()
  private let waits = Collected<Request>()

  private func load(
    _ transport: any Transport, _ monitor: ManualReachability, limit: Duration? = nil, _ url: URL = Fixture.url
  ) -> Task<String, any Error> {
    let wait = ConnectivityWait(monitor, limit: limit) { [waits] in waits.append($0) }
    let loader = Loader(transport, interceptors: [wait], settings: Fixture.settings(clock: clock))
    return Task {
      String(decoding: try await loader.load(Request(.get, url)).body.collect(upTo: 99), as: UTF8.self)
    }
  }

  @Test func `with a network, or one that is not known, nothing waits`() async throws {
    for status: ReachabilityStatus in [.reachableViaWiFi, .reachableViaCellular, .unknown] {
      #expect(try await load(StubTransport(.text("x")), ManualReachability(status)).value == "x")
    }
    #expect(waits.all.isEmpty)
  }

  @Test func `without one a request waits until there is one`() async throws {
    let monitor = ManualReachability(.notReachable)
    let stub = StubTransport(.text("x"))
    let loading = load(stub, monitor)
    try await monitor.waitForReaders()
    await Fixture.wait(while: waits.all.isEmpty)
    try await Fixture.witness()
    #expect(stub.requestCount == 0 && waits.all.count == 1)
    monitor.set(.reachableViaCellular)
    #expect(try await loading.value == "x")
  }

  @Test func `a failure that the lack of a network explains is sent again when there is one`() async throws {
    let monitor = ManualReachability(.reachableViaWiFi)
    let stub = StubTransport { asked in
      guard asked.index == 0 else { return .text("x") }
      monitor.set(.notReachable)
      return .failing(Fixture.lost(.nameLookupFailed, maybeProcessed: false))
    }
    let loading = load(stub, monitor)
    await Fixture.wait(while: waits.all.isEmpty)
    monitor.set(.reachableViaWiFi)
    #expect(try await loading.value == "x")
    #expect(stub.requestCount == 2)
  }

  @Test func `a failure that it does not explain, or that may have been acted on, stands`() async throws {
    let reachable = ManualReachability(.reachableViaWiFi)
    let refused = load(StubTransport(.failing(Fixture.lost(.connectionFailed, maybeProcessed: false))), reachable)
    #expect(await Fixture.kind { _ = try await refused.value } == .connectionFailed)

    let monitor = ManualReachability(.reachableViaWiFi)
    let stub = StubTransport { _ in
      monitor.set(.notReachable)
      return .failing(Fixture.lost(.connectionFailed, maybeProcessed: true))
    }
    #expect(await Fixture.kind { _ = try await load(stub, monitor).value } == .connectionFailed)
    #expect(waits.all.isEmpty)
  }

  @Test func `past the limit it is sent anyway, once`() async throws {
    let monitor = ManualReachability(.notReachable)
    let stub = StubTransport(.failing(Fixture.lost(.connectionFailed, maybeProcessed: false)))
    let loading = load(stub, monitor, limit: .seconds(60))
    try await clock.waitForSleepers()
    #expect(stub.requestCount == 0)
    clock.advance(by: .seconds(60))
    #expect(await Fixture.kind { _ = try await loading.value } == .connectionFailed)
    #expect(stub.requestCount == 1)
  }

  @Test func `it ends with cancellation`() async throws {
    let monitor = ManualReachability(.notReachable)
    let loading = load(StubTransport(.text("x")), monitor)
    try await monitor.waitForReaders()
    loading.cancel()
    await #expect(throws: CancellationError.self) { try await loading.value }
  }

  @Test func `when the monitor stops or goes away the request is sent`() async throws {
    let stopped = ManualReachability(.notReachable)
    let loading = load(StubTransport(.text("x")), stopped)
    try await stopped.waitForReaders()
    stopped.set(.unknown)
    #expect(try await loading.value == "x")

    let gone = ManualReachability(.notReachable)
    let going = load(StubTransport(.text("x")), gone)
    try await gone.waitForReaders()
    gone.finish()
    #expect(try await going.value == "x")
  }

  @Test func `a request through a proxy leaves this machine, and one whose address is overridden goes there`() throws {
    let local = try #require(URL(string: "http://localhost/"))
    let far = try #require(URL(string: "http://far.example/"))
    var settings = ExchangeSettings()
    settings.proxy = Proxy(.http, host: "127.0.0.1", port: 9)
    #expect(PathWait.leavesMachine(Request(.get, local), Exchange(settings)))
    var request = Request(.get, far)
    #expect(PathWait.leavesMachine(request, Exchange()))
    request.options.addressOverrides = [AddressOverride(address: "127.0.0.1")]
    #expect(!PathWait.leavesMachine(request, Exchange()))
    request.options.addressOverrides = [AddressOverride(address: "192.0.2.1")]
    #expect(PathWait.leavesMachine(request, Exchange()))
    request.options.unixSocketPath = "/run/x"
    #expect(!PathWait.leavesMachine(request, Exchange()))
  }

  @Test(arguments: ["http://localhost/", "http://127.0.0.1:8080/", "http://[::1]/", "http://app.localhost/"])
  func `this machine needs no network`(address: String) async throws {
    let url = try #require(URL(string: address))
    #expect(try await load(StubTransport(.text("x")), ManualReachability(.notReachable), url).value == "x")
    #expect(waits.all.isEmpty)
  }

  @Test(arguments: ["http://127.example/", "http://localhost.example/"])
  func `a name that only looks like this machine's needs one`(address: String) async throws {
    let url = try #require(URL(string: address))
    let monitor = ManualReachability(.notReachable)
    let loading = load(StubTransport(.text("x")), monitor, url)
    await Fixture.wait(while: waits.all.isEmpty)
    monitor.set(.reachableViaWiFi)
    #expect(try await loading.value == "x")
  }
}
