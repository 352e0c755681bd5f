import CurlewCore
import CurlewSecurity
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewCurlTransport

/// Who refuses everything, right after who accepts, on one transport: with all locks, and with each of them taken out.
///
/// Ten rounds of each; `CURLEW_LOCK_ROUNDS=100` for more, which `Scripts/soak` asks for, on both versions of libcurl.
@Suite struct LockMatrixTests {
  enum Wire: String, Sendable, CaseIterable {
    case tls12 = "HTTP/1.1 over TLS 1.2"
    case tls13 = "HTTP/1.1 over TLS 1.3"
    case http2 = "HTTP/2"
  }
  /// What the request that was accepted leaves behind.
  enum Trace: String, Sendable, CaseIterable {
    /// A connection that is still open.
    case kept
    /// Nothing.
    case closed
    /// A TLS session that the server resumes.
    case resumable
  }
  struct Case: Sendable, CustomTestStringConvertible {
    var wire: Wire
    var trace: Trace
    var locks: TrustLockSwitches
    var testDescription: String { "\(wire.rawValue), connection \(trace.rawValue), locks \(locks.rawValue)" }
  }

  private static let rounds = getenv("CURLEW_LOCK_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 10

  private static let lockSets: [TrustLockSwitches] = [
    .all, .all.subtracting(.connectionMatch), .all.subtracting(.ownSessions), .all.subtracting(.sessionMatch),
    .all.subtracting([.connectionMatch, .sessionMatch]), .all.subtracting(.gate),
  ]

  /// HTTP/2 only with a libcurl that is reliable over it.
  static let wires = Wire.allCases.filter { $0 != .http2 || CurlTransport.offersHTTP2 }

  static let cases: [Case] = wires.flatMap { wire in
    Trace.allCases.flatMap { trace in lockSets.map { Case(wire: wire, trace: trace, locks: $0) } }
  }

  @Test(arguments: cases)
  func `nothing reaches the server for an evaluator that refuses`(_ one: Case) async throws {
    let outcome = try await Self.run(one)
    #expect(outcome.reached == 0)
    #expect(outcome.refused == Self.rounds)
    // Nobody verified a resumed session, so the gate refuses it to who accepts as well. nginx resumes in any case.
    let mayResume = one.trace == .resumable || (one.wire == .http2 && one.trace != .kept)
    let losesAccepted = mayResume && !one.locks.contains(.ownSessions)
    #expect(losesAccepted ? outcome.accepted > 0 : outcome.accepted == Self.rounds)
    // Who was accepted resumes the session of the round before; whoever was refused has no part in it.
    if one.trace == .resumable, one.wire != .http2, one.locks.isSuperset(of: [.ownSessions, .sessionMatch]) {
      #expect(outcome.resumed == Self.rounds - 1)
    }
  }

  @Test(arguments: [Wire.tls12, .tls13])
  func `without the second lock's halves and the gate a resumed session is used under another policy`(
    wire: Wire
  ) async throws {
    let outcome = try await Self.run(Case(wire: wire, trace: .resumable, locks: [.connectionMatch, .ownSessions]))
    #expect(outcome.reached > 0)
  }

  @Test(arguments: wires)
  func `without any lock it does, so that the matrix can fail`(wire: Wire) async throws {
    let outcome = try await Self.run(Case(wire: wire, trace: .kept, locks: []))
    #expect(outcome.reached > 0)
  }

  @Test(arguments: cases)
  func `nothing reaches the server before an app says yes to its certificate, and nothing when it says no`(
    _ one: Case
  ) async throws {
    let outcome = try await Self.run(one, asks: true)
    #expect(outcome.reached == 0)
    #expect(outcome.refused == Self.rounds)
    #expect(outcome.early == 0)
    // With a lock taken out, a connection that another evaluator verified is refused without a certificate to ask about.
    #expect(one.locks == .all ? outcome.accepted == Self.rounds : outcome.accepted > 0)
  }

  private struct Ending {
    /// Requests of the evaluator that accepts which were answered.
    var accepted = 0
    /// Requests of the evaluator that refuses which ended in its refusal.
    var refused = 0
    /// Of those, what the server saw.
    var reached = 0
    /// Requests of the evaluator that accepts on connections that resumed a session.
    var resumed = 0
    /// Questions during which the server had seen more than was accepted before.
    var early = 0
  }

  /// - Parameter asks: Whether both evaluators refuse, and two apps are asked: one says yes, the other no.
  private static func run(_ one: Case, asks: Bool = false) async throws -> Ending {
    guard let server = try await Server.start(one) else {
      try Test.cancel("nginx is not installed")
    }
    var configuration = CurlTransport.Configuration()
    configuration.trustLocks = one.locks
    let transport = try CurlTransport(configuration)
    let early = Guarded(0)
    let expected = Guarded(0)
    let accepting = settings(asks ? UndecidedTrust() : RecordingTrustEvaluator(key: "accepts")) { trust in
      if server.count("/accepted") != expected.withLock({ $0 }) { early.withLock { $0 += 1 } }
      return .use(.serverTrust(trust))
    }
    let refuser = RecordingTrustEvaluator(key: "refuses") { _ throws(ServerTrustError) in
      throw ServerTrustError(.policy, message: "Nobody is trusted.")
    }
    let refusing = settings(asks ? UndecidedTrust() : refuser) { _ in .reject }
    let isFresh = one.trace != .kept
    var ending = Ending()
    for _ in 0..<rounds {
      if try await send(server.url("/accepted"), over: transport, accepting, isFresh: isFresh) { ending.accepted += 1 }
      expected.withLock { [accepted = ending.accepted] in $0 = accepted }
      if try await !send(server.url("/refused"), over: transport, refusing, isFresh: isFresh) { ending.refused += 1 }
    }
    ending.reached = server.count("/refused")
    ending.resumed = server.resumed("/accepted")
    ending.early = early.withLock { $0 }
    await transport.shutdown()
    await server.stop()
    return ending
  }

  private static func settings(
    _ evaluator: any ServerTrustEvaluating, _ answer: @escaping @Sendable (ServerTrust) -> ChallengeAnswer
  ) -> ExchangeSettings {
    var settings = ExchangeSettings()
    settings.serverTrust = evaluator
    settings.hooks.challenge = { challenge in challenge.serverTrust?.trust.map { answer($0) } ?? .defaultHandling }
    return settings
  }

  /// Whether it was answered; else it was refused for trust, and the server cannot have acted on it.
  private static func send(
    _ url: URL, over transport: CurlTransport, _ settings: ExchangeSettings, isFresh: Bool
  ) async throws -> Bool {
    var request = Request(.post, url, body: .text("secret"))
    // Over HTTP/2 what is streamed has a connection of its own, which nothing could be shared on.
    request.options.delivery = .collected
    do {
      let exchange = Exchange(settings).derived(freshConnection: isFresh)
      // Who asks remembers; a new one each time has both apps asked in each round.
      let next = Next([]) { try await transport.send($0, in: $1) }
      _ = try await ServerTrustAsking().intercept(request, in: exchange, next: next).body.collect(upTo: 100)
      return true
    } catch let error as NetworkError where error.kind == .serverTrustRefused {
      #expect(!error.maybeProcessed)
      return false
    }
  }
}

/// A server that counts, over HTTP/1.1 itself or over HTTP/2 through nginx.
private struct Server {
  var url: @Sendable (String) -> URL
  var count: @Sendable (String) -> Int
  /// How many of them came over resumed TLS sessions; 0 through nginx, which does not say.
  var resumed: @Sendable (String) -> Int
  var stop: @Sendable () async -> Void

  /// Nil when there is no nginx.
  static func start(_ one: LockMatrixTests.Case) async throws -> Server? {
    let identity = try TestIdentity.selfSigned()
    guard one.wire != .http2 else {
      guard NginxEndpoint.isAvailable else { return nil }
      let nginx = try await NginxEndpoint.start(identity)
      let place = nginx.open { _ in .text("hello") }
      return Server(
        url: { place.url($0) }, count: { path in place.requests.count { $0.target.hasSuffix(path) } },
        resumed: { _ in 0 },
        stop: { await nginx.stop() })
    }
    let version = one.wire == .tls12 ? OriginTLS.Version.tls12 : .tls13
    let tls = OriginTLS(identity).with {
      $0.versions = version...version
      $0.resumesSessions = one.trace == .resumable
    }
    let origin = try await ScriptedOrigin.start(tls: tls) { _ in
      one.trace == .kept ? .ok("hello") : .ok("hello", ["Connection": "close"])
    }
    return Server(
      url: { origin.url($0) }, count: { path in origin.requests.count { $0.path == path } },
      resumed: { path in origin.requests.count { $0.path == path && $0.tls?.isResumed == true } },
      stop: { await origin.stop() })
  }
}
