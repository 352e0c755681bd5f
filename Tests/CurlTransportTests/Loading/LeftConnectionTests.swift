import CurlewCore
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewCurlTransport

/// Connections that are idle for long, that slept, or that died with others.
@Suite struct LeftConnectionTests {
  /// Sends requests at the same time, so that each has a connection, and returns the numbers of their connections.
  private func burst(
    _ count: Int, to origin: ScriptedOrigin, through transport: CurlTransport, _ gate: OriginGate
  ) async throws -> Set<Int> {
    let before = origin.requests.count
    let tasks = (0..<count).map { _ in
      Task { try await transport.send(Request(.get, origin.url("/held")), in: Exchange()).body.collect(upTo: 100) }
    }
    await gate.reached(by: count)
    gate.open()
    for task in tasks { _ = try await task.value }
    return Set(origin.requests.dropFirst(before).map(\.connection))
  }

  @Test(.timeLimit(.minutes(10)))
  func `idle connections beyond those that are kept are closed without a further request`() async throws {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { request in
      request.target == "/held" ? .ok("a").pausing(at: gate) : .ok("a")
    }
    var configuration = CurlTransport.Configuration()
    configuration.idleRule = IdleRule(kept: 2, brief: 100, longest: 118_000)
    let transport = try CurlTransport(configuration)
    let used = try await burst(12, to: origin, through: transport, gate)
    #expect(used.count == 12)
    #expect(await origin.until { $0.connectionsOpen <= 2 })
    let body = try await transport.send(Request(.get, origin.url()), in: Exchange()).body.collect(upTo: 100)
    #expect(body == Data("a".utf8))
    #expect(origin.requests.last.map { used.contains($0.connection) } == true)
    await transport.shutdown()
    await origin.stop()
  }

  @Test(.timeLimit(.minutes(10)))
  func `after the network changed, no connection from before is used`() async throws {
    let network = ManualReachability(.reachableViaWiFi)
    var configuration = CurlTransport.Configuration()
    configuration.network = network
    let origin = try await ScriptedOrigin.start { _ in .ok("a") }
    let transport = try CurlTransport(configuration)
    for status in [nil, .notReachable, .reachableViaCellular] as [ReachabilityStatus?] {
      if let status {
        network.set(status)
        #expect(await origin.until { $0.connectionsOpen == 0 }, "an idle connection is closed at once")
      }
      for _ in 1...2 {
        _ = try await transport.send(Request(.get, origin.url()), in: Exchange()).body.collect(upTo: 100)
      }
    }
    #expect(origin.requests.map(\.connection) == [1, 1, 2, 2, 3, 3])
    await transport.shutdown()
    await origin.stop()
  }

  @Test(.timeLimit(.minutes(10)))
  func `after the machine slept, no connection from before is used`() async throws {
    let asleep = Guarded<UInt64>(0)
    var configuration = CurlTransport.Configuration()
    configuration.sinceBoot = { monotonicNanoseconds() + asleep.withLock { $0 } }
    let origin = try await ScriptedOrigin.start { _ in .ok("a") }
    let transport = try CurlTransport(configuration)
    for round in 0..<6 {
      if round % 2 == 0 { asleep.withLock { $0 += 3_600_000_000_000 } }
      _ = try await transport.send(Request(.get, origin.url()), in: Exchange()).body.collect(upTo: 100)
    }
    #expect(origin.requests.map(\.connection) == [1, 1, 2, 2, 3, 3])
    await transport.shutdown()
    await origin.stop()
  }

  @Test(.timeLimit(.minutes(10)))
  func `after a request timed out, no idle HTTP/1.1 connection to its server is used`() async throws {
    let gate = OriginGate()
    let never = OriginGate()
    let origin = try await ScriptedOrigin.start { request in
      switch request.target {
      case "/held": .ok("a").pausing(at: gate)
      case "/never": OriginReply(.wait(for: never))
      default: .ok("b")
      }
    }
    let transport = try CurlTransport()
    let used = try await burst(5, to: origin, through: transport, gate)
    var request = Request(.get, origin.url("/never"))
    request.options.timeouts.total = .milliseconds(400)
    let late = Task { [request] in try await transport.send(request, in: Exchange()).head }
    await #expect(throws: NetworkError.self) { try await late.value }
    for _ in 0..<5 {
      _ = try await transport.send(Request(.get, origin.url()), in: Exchange()).body.collect(upTo: 100)
    }
    #expect(used.count == 5 && used.isDisjoint(with: origin.requests.suffix(5).map(\.connection)))
    await transport.shutdown()
    await origin.stop()
  }

  @Test(
    .enabled(if: CurlTransport.capabilities().contains(.automaticHTTP2), "this libcurl has no reliable HTTP/2"),
    .timeLimit(.minutes(10)))
  func `an HTTP/2 connection that has not answered yet carries at most eight requests`() async throws {
    let gate = OriginGate()
    let identity = try TestIdentity.authority().issue()
    let origin = try FrameOrigin.start(identity) { _ in [.wait(for: gate), .head(200, ends: true)] }
    let transport = try CurlTransport.speaking(.http2)
    var settings = ExchangeSettings()
    settings.serverTrust = ExactTrustEvaluator(identity.chain.map { Data($0.der) })
    var request = Request(.get, origin.url)
    request.options.delivery = .collected
    func send(_ count: Int) -> [Task<Data, any Error>] {
      (0..<count).map { _ in
        Task { [request, settings] in
          try await transport.send(request, in: Exchange(settings)).body.collect(upTo: 100)
        }
      }
    }
    let first = send(20)
    try await origin.requests(20)
    let connections = Dictionary(grouping: origin.requests, by: \.connection).mapValues(\.count)
    #expect(connections.values.sorted() == [4, 8, 8])
    gate.open()
    for task in first { _ = try await task.value }
    for task in send(20) { _ = try await task.value }
    #expect(Set(origin.requests.dropFirst(20).map(\.connection)).count == 1)
    await transport.shutdown()
    origin.stop()
  }

  @Test(.timeLimit(.minutes(10)))
  func `after the machine slept, no TLS session from before is resumed`() async throws {
    let asleep = Guarded<UInt64>(0)
    var configuration = CurlTransport.Configuration()
    configuration.sinceBoot = { monotonicNanoseconds() + asleep.withLock { $0 } }
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(try .selfSigned())) { _ in
      .ok("a", ["Connection": "close"])
    }
    let transport = try CurlTransport(configuration)
    var settings = ExchangeSettings()
    settings.serverTrust = RecordingTrustEvaluator(key: "a")
    for round in 0..<4 {
      if round == 2 { asleep.withLock { $0 += 3_600_000_000_000 } }
      _ = try await transport.send(Request(.get, origin.url()), in: Exchange(settings)).body.collect(upTo: 100)
    }
    #expect(origin.requests.map { $0.tls?.isResumed } == [false, true, false, true])
    await transport.shutdown()
    await origin.stop()
  }

  @Test(.timeLimit(.minutes(10)))
  func `idle connections are closed although more requests have no connection yet`() async throws {
    let options = OriginOptions.with { [identity = try TestIdentity.selfSigned()] in
      $0.tls = OriginTLS(identity)
      $0.connection = { _ in ConnectionBehaviour(handshake: .stalled) }
    }
    let silent = try await ScriptedOrigin.start(options) { _ in .ok("never") }
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { request in
      request.target == "/held" ? .ok("a").pausing(at: gate) : .ok("a")
    }
    var configuration = CurlTransport.Configuration()
    configuration.idleRule = IdleRule(kept: 2, brief: 100, longest: 118_000)
    let transport = try CurlTransport(configuration)
    let waiting = (0..<20).map { _ in
      // Streamed, so that each has a connection of its own.
      Task { try await transport.send(Request(.get, silent.url()), in: Exchange()).head }
    }
    #expect(await silent.until { $0.connectionsAccepted == 20 })
    _ = try await burst(12, to: origin, through: transport, gate)
    #expect(await origin.until { $0.connectionsOpen <= 2 })
    for task in waiting { task.cancel() }
    for task in waiting { _ = await task.result }
    await transport.shutdown()
    await origin.stop()
    await silent.stop()
  }
}
