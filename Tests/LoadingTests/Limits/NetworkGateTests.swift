import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct NetworkGateTests {
  private let clock = ManualClock()
  private let waits = Collected<Request>()

  private func load(
    _ stub: StubTransport, _ monitor: ManualReachability, _ choice: NetworkGate.Choice = .refuse,
    allowing networks: AllowedNetworks?, _ url: URL = Fixture.url
  ) -> Task<String, any Error> {
    let gate = NetworkGate(monitor, choice) { [waits] in waits.append($0) }
    let loader = Loader(stub, interceptors: [gate], settings: Fixture.settings(clock: clock))
    var request = Request(.get, url)
    request.options.allowedNetworks = networks
    return Task { [request] in
      String(decoding: try await loader.load(request).body.collect(upTo: 99), as: UTF8.self)
    }
  }

  @Test func `without the gate a transport refuses the option, and with it the transport never sees it`() async throws {
    var request = Request(.get, Fixture.url)
    request.options.allowedNetworks = .unmetered
    let plain = Loader(StubTransport(.text("x"), capabilities: []))
    let refused = request
    #expect(await Fixture.kind { _ = try await plain.load(refused) } == .unsupported)
    let seen = Collected<AllowedNetworks?>()
    let stub = StubTransport(capabilities: []) { asked in
      seen.append(asked.request.options.allowedNetworks)
      return .text("x")
    }
    let gated = Loader(stub, interceptors: [NetworkGate(ManualReachability(.reachableViaWiFi))])
    _ = try await gated.load(request)
    #expect(seen.all == [nil])
  }

  /// Each kind of path, and which one bit of `AllowedNetworks` it needs.
  private static let paths: [(NetworkPath, AllowedNetworks?)] = [
    (.unknown, nil), (.notReachable, nil), (NetworkPath(.reachableViaWiFi), .unmetered),
    (NetworkPath(.reachableViaWiFi, isExpensive: true), .expensive), (NetworkPath(.reachableViaCellular), .cellular),
    (NetworkPath(.reachableViaCellular, isExpensive: true), .cellular),
  ]

  @Test func `every set of networks passes on the paths that it has, and is refused on all others`() async throws {
    for raw in 0..<UInt8(8) {
      let allowed = AllowedNetworks(rawValue: raw)
      for (path, needed) in Self.paths {
        let passes = allowed == .all || needed.map { allowed.contains($0) } ?? false
        let stub = StubTransport(.text("x"))
        let loading = load(stub, ManualReachability(path: path), allowing: allowed)
        let kind = await Fixture.kind { _ = try await loading.value }
        #expect(kind == (passes ? nil : .networkNotAllowed), "\(allowed) on \(path)")
        #expect(stub.requestCount == (passes ? 1 : 0))
      }
    }
    #expect(waits.all.isEmpty)
  }

  @Test func `the refusal says what is allowed and what was found`() async throws {
    let loading = load(StubTransport(.text("x")), ManualReachability(.reachableViaCellular), allowing: .unmetered)
    let error = await #expect(throws: NetworkError.self) { try await loading.value }
    #expect(error?.details.message == "The request may use unmetered networks only, and the network is a cellular one.")
    #expect(error?.details.request?.url == Fixture.url)
  }

  @Test func `a held request waits through every other network for one that it may use`() async throws {
    let monitor = ManualReachability()
    let stub = StubTransport(.text("x"))
    let loading = load(stub, monitor, .hold(), allowing: .unmetered)
    try await monitor.waitForReaders()
    let expensive = NetworkPath(.reachableViaWiFi, isExpensive: true)
    monitor.set(path: .notReachable)
    // On each path another request goes, which may use it.
    for (path, networks) in [(NetworkPath(.reachableViaCellular), AllowedNetworks.cellular), (expensive, .expensive)] {
      let other = NetworkGateTests().load(StubTransport(.text("y")), monitor, .hold(), allowing: networks)
      monitor.set(path: path)
      #expect(try await other.value == "y")
    }
    #expect(stub.requestCount == 0 && waits.all.count == 1)
    monitor.set(.reachableViaWiFi)
    #expect(try await loading.value == "x")
  }

  @Test func `past the limit, or without a monitor, a held request is refused and never sent`() async throws {
    let stub = StubTransport(.text("x"))
    let late = load(stub, ManualReachability(.reachableViaCellular), .hold(limit: .seconds(5)), allowing: .unmetered)
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    #expect(await Fixture.kind { _ = try await late.value } == .networkNotAllowed)

    let monitor = ManualReachability(.notReachable)
    let alone = load(stub, monitor, .hold(), allowing: .unmetered)
    try await monitor.waitForReaders()
    monitor.finish()
    #expect(await Fixture.kind { _ = try await alone.value } == .networkNotAllowed)
    #expect(stub.requestCount == 0)
  }

  @Test func `a held request ends with its total timeout, and what is left of it is for the sending`() async throws {
    for interceptor in [
      { NetworkGate($0, .hold()) as any Interceptor }, { NetworkGate($0, .hold(limit: .seconds(60))) },
      { ConnectivityWait($0) }, { ConnectivityWait($0, limit: .seconds(60)) },
    ] as [(ManualReachability) -> any Interceptor] {
      let (monitor, clock) = (ManualReachability(.notReachable), ManualClock())
      let left = Collected<Duration?>()
      let stub = StubTransport { asked in
        left.append(asked.request.options.timeouts.total)
        return .text("x")
      }
      let loader = Loader(stub, interceptors: [interceptor(monitor)], settings: Fixture.settings(clock: clock))
      var request = Request(.get, Fixture.url)
      request.options.allowedNetworks = interceptor(monitor) is NetworkGate ? .unmetered : nil
      request.options.timeouts.total = .seconds(5)
      let late = Task { [request] in try await loader.load(request).head.status }
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(5))
      #expect(await Fixture.kind { _ = try await late.value } == .timedOut)
      #expect(stub.requestCount == 0)
      let early = Task { [request] in try await loader.load(request).head.status }
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(2))
      monitor.set(.reachableViaWiFi)
      #expect(try await early.value == .ok)
      #expect(left.all == [.seconds(3)])
    }
  }

  /// A monitor that nobody has started.
  private struct IdleMonitor: ReachabilityMonitoring {
    let feed = ManualReachability()
    var path: NetworkPath { feed.path }
    var isMonitoring: Bool { false }
    func changes() -> NetworkPathChanges { feed.changes() }
  }

  @Test func `while the monitor does not run, a request is refused instead of held, and says so`() async throws {
    for choice in [NetworkGate.Choice.refuse, .hold(), .hold(limit: .seconds(5))] {
      let loader = Loader(
        StubTransport(.text("x")), interceptors: [NetworkGate(IdleMonitor(), choice)],
        settings: Fixture.settings(clock: clock))
      var request = Request(.get, Fixture.url)
      request.options.allowedNetworks = .unmetered
      let refused = request
      let error = await #expect(throws: NetworkError.self) { _ = try await loader.load(refused) }
      #expect(error?.kind == .networkNotAllowed)
      #expect(error?.message.contains("the monitor does not run.") == true)
      #expect(error?.advice == "Call its start() before the first request.")
    }
  }

  @Test func `cancelling ends the wait`() async throws {
    let monitor = ManualReachability(.notReachable)
    let loading = load(StubTransport(.text("x")), monitor, .hold(), allowing: .cellular)
    try await monitor.waitForReaders()
    loading.cancel()
    await #expect(throws: CancellationError.self) { try await loading.value }
  }

  @Test func `requests that allow everything or stay on this machine pass whatever the network is`() async throws {
    let local = try #require(URL(string: "http://localhost/"))
    for (networks, url) in [(nil, Fixture.url), (AllowedNetworks.all, Fixture.url), (.unmetered, local)] {
      let loading = load(StubTransport(.text("x")), ManualReachability(), allowing: networks, url)
      #expect(try await loading.value == "x")
    }
  }

  @Test func `behind a wait for a network, a refusal without one is waited out`() async throws {
    let monitor = ManualReachability(.reachableViaWiFi)
    let stub = StubTransport(.text("x"))
    let loader = Loader(
      stub, interceptors: [ConnectivityWait(monitor), LosingNetwork(monitor: monitor), NetworkGate(monitor)],
      settings: Fixture.settings(clock: clock))
    var request = Request(.get, Fixture.url)
    request.options.allowedNetworks = .unmetered
    let loading = Task { [request] in try await loader.load(request).head.status }
    try await monitor.waitForReaders()
    monitor.set(.reachableViaWiFi)
    #expect(try await loading.value == .ok)
    #expect(stub.requestCount == 1)
  }

  /// Loses the network when the first request comes by.
  private final class LosingNetwork: Interceptor {
    private let monitor: ManualReachability
    private let hasLost = Guarded(false)
    init(monitor: ManualReachability) { self.monitor = monitor }

    func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
      let isFirst = hasLost.withLock { lost in
        defer { lost = true }
        return !lost
      }
      if isFirst { monitor.set(.notReachable) }
      return try await next(request, in: exchange)
    }
  }
}
