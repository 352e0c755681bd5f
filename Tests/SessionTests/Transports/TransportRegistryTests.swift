import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct TransportRegistryTests {
  private struct Broken: Error {}

  /// A stub that says its name, and simulates some capabilities.
  private static func named(_ name: String, _ capabilities: TransportCapabilities) -> StubTransport {
    StubTransport(.bytes(Data(name.utf8)), capabilities: capabilities.union(StubTransport.defaultCapabilities))
  }

  private func answer(
    of transport: any Transport, _ settings: ExchangeSettings = ExchangeSettings(),
    _ change: (inout Request) -> Void = { _ in }
  ) async throws -> String {
    var request = try Request(.get, "http://h.test/")
    change(&request)
    let response = try await Loader(transport).load(request, in: Exchange(settings))
    return String(decoding: try await response.body.collect(upTo: 1 << 10), as: UTF8.self)
  }

  /// Plain, one with HTTP/2 and trust, one with Unix sockets.
  private func three() -> TransportRegistry {
    TransportRegistry()
      .adding("plain") { Self.named("plain", []) }
      .adding("modern") { Self.named("modern", [.http2, .versionChoice, .serverTrust, .clientIdentity]) }
      .adding("local") { Self.named("local", [.unixSocket, .versionChoice]) }
  }

  @Test func `each request goes to the first transport that can send it`() async throws {
    let transports = three()
    #expect(transports.names == ["plain", "modern", "local"])
    #expect(try await answer(of: transports) == "plain")
    #expect(try await answer(of: transports) { $0.options.version = .http2 } == "modern")
    #expect(try await answer(of: transports) { $0.options.version = .http1 } == "modern")
    #expect(try await answer(of: transports) { $0.options.unixSocketPath = "/run/s" } == "local")
    #expect(try await answer(of: transports) { $0.options.needs = .clientIdentity } == "modern")
    var pinned = ExchangeSettings()
    pinned.serverTrust = RecordingTrustEvaluator()
    #expect(try await answer(of: transports, pinned) == "modern")
    await transports.shutdown()
  }

  @Test func `an error names what none of the transports has`() async throws {
    let transports = three()
    var request = try Request(.get, "http://h.test/")
    request.options.rateLimit = RateLimit(receive: 1000)
    let missing = await #expect(throws: NetworkError.self) { try await transports.send(request, in: Exchange()) }
    #expect(missing?.kind == .unsupported && missing?.details.missing == .rateLimit)
    #expect(
      missing?.message
        == "No registered transport has rate limits: plain lacks rate limits; modern lacks rate limits; local lacks rate limits."
    )
    await #expect(throws: NetworkError.self) {
      try await self.answer(of: transports) { $0.options.rateLimit = request.options.rateLimit }
    }
    request.options.rateLimit = nil
    request.options.unixSocketPath = "/run/s"
    request.options.version = .http2
    let split = await #expect(throws: NetworkError.self) { try await transports.send(request, in: Exchange()) }
    #expect(split?.kind == .unsupported && split?.stage == .preparing)
    #expect(
      split?.message.hasPrefix("No registered transport has all that the request needs: plain lacks HTTP/2,") == true)
    #expect(split?.message.hasSuffix("modern lacks Unix sockets; local lacks HTTP/2.") == true)
    let none = await #expect(throws: NetworkError.self) { try await TransportRegistry().send(request, in: Exchange()) }
    #expect(none?.kind == .unsupported && none?.advice == "Add one with TransportRegistry.add.")
  }

  @Test func `a transport that cannot be created is passed over, and tried again`() async throws {
    let failures = Guarded(1)
    let transports = TransportRegistry()
    transports.add("late") {
      let isBroken = failures.withLock { left in
        defer { left -= 1 }
        return left > 0
      }
      if isBroken { throw Broken() }
      return Self.named("late", [.unixSocket])
    }
    var request = try Request(.get, "http://h.test/")
    request.options.unixSocketPath = "/run/s"
    let error = await #expect(throws: NetworkError.self) { try await transports.send(request, in: Exchange()) }
    #expect(error?.kind == .unsupported && error?.details.underlying is Broken)
    #expect(error?.message == "No registered transport has Unix sockets: late cannot be created.")
    transports.add("other") { Self.named("other", []) }
    #expect(try await answer(of: transports) == "late")
    #expect(failures.withLock { $0 } == -1)
  }

  @Test func `a transport is created once, and one of the same name takes its place`() async throws {
    let made = Guarded(0)
    let transports = TransportRegistry()
    transports.add("a") {
      made.withLock { $0 += 1 }
      return Self.named("first", [])
    }
    #expect(made.withLock { $0 } == 0)
    for _ in 0..<3 { #expect(try await answer(of: transports) == "first") }
    #expect(made.withLock { $0 } == 1)
    let first = try transports.transport(named: "a")
    transports.add("a") { Self.named("second", []) }
    #expect(try await answer(of: transports) == "second" && transports.names == ["a"])
    #expect(throws: NetworkError.self) { try transports.transport(named: "b") }
    await transports.shutdown()
    let request = try Request(.get, "http://h.test/")
    await #expect(throws: NetworkError.self) { try await first.send(request, in: Exchange()) }
  }

  @Test func `a transport that refuses two capabilities together is passed over`() async throws {
    let stubborn = StubTransport(capabilities: [.http2, .versionChoice, .serverTrust]) { asked in
      guard asked.exchange.settings.serverTrust == nil else {
        throw NetworkError.unsupported(.http2, request: asked.request)
      }
      return .bytes(Data("stubborn".utf8))
    }
    let transports = TransportRegistry().adding("stubborn") { stubborn }
    var pinned = ExchangeSettings()
    pinned.serverTrust = RecordingTrustEvaluator()
    let settings = pinned
    let error = await #expect(throws: NetworkError.self) {
      try await self.answer(of: transports, settings) { $0.options.version = .http2 }
    }
    #expect(error?.kind == .unsupported && error?.details.missing == .http2)
    transports.add("both") { Self.named("both", [.http2, .versionChoice, .serverTrust]) }
    #expect(try await answer(of: transports) { $0.options.version = .http2 } == "stubborn")
    #expect(try await answer(of: transports, pinned) { $0.options.version = .http2 } == "both")
  }

  @Test func `what has been shut down sends nothing, also with a transport that was never created`() async throws {
    let transports = three()
    #expect(try await answer(of: transports) == "plain")
    await transports.shutdown()
    await transports.shutdown()
    for needs in [TransportCapabilities(), .unixSocket] {
      var request = try Request(.get, "http://h.test/")
      request.options.needs = needs
      let error = await #expect(throws: NetworkError.self) { try await transports.send(request, in: Exchange()) }
      #expect(error?.kind == .transportShutDown)
    }
  }

  @Test func `each transport keeps its own connections`() async throws {
    let origin = try await ScriptedOrigin.start { request in .ok("\(request.connection)") }
    let transports = TransportRegistry().adding("one") { try .curl() }.adding("two") { try .curl() }
    let one = try transports.transport(named: "one")
    let two = try transports.transport(named: "two")
    let url = try #require(URL(string: origin.address("/")))
    func connection(_ transport: any Transport) async throws -> String {
      let response = try await transport.send(Request(.get, url), in: Exchange())
      return String(decoding: try await response.body.collect(upTo: 100), as: UTF8.self)
    }
    let first = try await connection(one)
    #expect(try await connection(two) != first)
    #expect(try await connection(transports) == first)
    await transports.shutdown()
    await origin.stop()
  }

  @Test func `needs are added to those of the defaults, and survive an archive`() throws {
    var options = RequestOptions()
    options.needs = .trailers
    var defaults = RequestOptions()
    defaults.needs = .metrics
    #expect(options.over(defaults).needs == [.trailers, .metrics])
    let data = try JSONEncoder().encode(options)
    #expect(try JSONDecoder().decode(RequestOptions.self, from: data) == options)
    #expect(TransportCapabilities.required(by: try Request(.get, "http://h/"), in: Exchange()).isEmpty)
  }

  @Test func `a registry keeps the rules of transports`() async throws {
    let endpoint = StubEndpoint()
    let timers = "a stub's timer is a task of its own, which may begin after time was passed by hand"
    let conformance = TransportConformance(
      endpoint: endpoint, excluding: ["total-timeout-in-body": timers, "total-timeout-of-slow-reader": timers])
    let report = try await conformance.run {
      TransportRegistry()
        .adding("broken") { throw Broken() }
        .adding("stub") { endpoint.makeTransport() }
    }
    #expect(report.passed.count > 60, "\(report)")
  }
}
