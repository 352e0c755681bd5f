import COpenSSL
import CurlewCore
import CurlewLoading
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewCurlTransport

/// TLS sessions that are resumed; `LockMatrixTests` has the cases in which they must not be.
@Suite struct ResumptionTests {
  private static let versions: [OriginTLS.Version] = [.tls12, .tls13]

  /// An origin that closes each connection after one answer.
  private static func origin(
    _ version: OriginTLS.Version, _ identity: TestIdentity, _ change: (inout OriginTLS) -> Void = { _ in }
  ) async throws -> ScriptedOrigin {
    let tls = OriginTLS(identity).with {
      $0.versions = version...version
      change(&$0)
    }
    return try await ScriptedOrigin.start(tls: tls) { _ in .ok("hello", ["Connection": "close"]) }
  }

  private static func get(
    _ url: URL, over transport: CurlTransport, _ evaluator: any ServerTrustEvaluating,
    _ change: (inout ExchangeSettings) -> Void = { _ in }
  ) async throws {
    var settings = ExchangeSettings()
    settings.serverTrust = evaluator
    change(&settings)
    let response = try await transport.send(Request(.get, url), in: Exchange(settings).derived(freshConnection: true))
    _ = try await response.body.collect(upTo: 1 << 20)
  }

  private static func resumed(_ origin: ScriptedOrigin) -> [Bool] { origin.requests.map { $0.tls?.isResumed ?? false } }

  @Test(arguments: versions)
  func `each new connection under the same terms resumes a session, and the evaluator sees the chain each time`(
    version: OriginTLS.Version
  ) async throws {
    let authority = try TestIdentity.authority()
    let origin = try await Self.origin(version, try authority.issue())
    let transport = try CurlTransport()
    let evaluator = RecordingTrustEvaluator(key: "same")
    for _ in 0..<6 { try await Self.get(origin.url(), over: transport, evaluator) }
    #expect(Self.resumed(origin) == [false, true, true, true, true, true])
    #expect(evaluator.evaluated.count == 6)
    #expect(Set(evaluator.evaluated.map(\.certificates)).count == 1)
    #expect(evaluator.evaluated.first?.certificates.isEmpty == false)
    await transport.shutdown()
    await origin.stop()
  }

  @Test(arguments: versions)
  func `an evaluator that changes its mind is asked before a session is offered, and refuses the server`(
    version: OriginTLS.Version
  ) async throws {
    let origin = try await Self.origin(version, try .selfSigned())
    let transport = try CurlTransport()
    let refuses = Guarded(false)
    let evaluator = RecordingTrustEvaluator(key: "changes") { _ throws(ServerTrustError) in
      if refuses.withLock({ $0 }) { throw ServerTrustError(.revoked, certificate: 0, message: "Revoked.") }
    }
    for _ in 0..<2 { try await Self.get(origin.url(), over: transport, evaluator) }
    refuses.withLock { $0 = true }
    let error = await #expect(throws: NetworkError.self) {
      try await Self.get(origin.url(), over: transport, evaluator)
    }
    #expect(error?.kind == .serverTrustRefused && error?.details.trust?.reason == .revoked)
    #expect(error?.maybeProcessed == false)
    #expect(origin.requests.count == 2)
    // Nothing is left of the sessions of the time before.
    refuses.withLock { $0 = false }
    for _ in 0..<2 { try await Self.get(origin.url(), over: transport, evaluator) }
    #expect(Self.resumed(origin) == [false, true, false, true])
    await transport.shutdown()
    await origin.stop()
  }

  @Test(arguments: versions)
  func `requests with different policies, identities, offers and accounts resume nothing of each other`(
    version: OriginTLS.Version
  ) async throws {
    let authority = try TestIdentity.authority()
    let origin = try await Self.origin(version, try authority.issue()) { $0.clientCertificates = .optional }
    let proxy = try await ScriptedProxy.start()
    let transport = try CurlTransport()
    let identities = try (0..<2).map { _ in
      let identity = try authority.issue(.client())
      return ClientIdentity(certificateChain: Data(identity.chainPEM.utf8), privateKey: Data(identity.key.pem.utf8))
    }
    let a = RecordingTrustEvaluator(key: "a")
    func account(_ settings: inout ExchangeSettings, _ field: String?) {
      settings.proxy = Proxy(host: "127.0.0.1", port: proxy.port)
      settings.proxy?.authorization = field
    }
    let terms: [(any ServerTrustEvaluating, (inout ExchangeSettings) -> Void)] = [
      (a, { _ in }), (RecordingTrustEvaluator(key: "b"), { _ in }),
      (RecordingTrustEvaluator(key: "a", requirements: .init(refusesPlainHTTP: true)), { _ in }),
      (a, { $0.clientIdentity = identities[0] }), (a, { $0.clientIdentity = identities[1] }),
      (a, { account(&$0, nil) }), (a, { account(&$0, "Basic YTpi") }), (a, { account(&$0, "Basic YTpj") }),
    ]
    for round in 0..<2 {
      for (evaluator, change) in terms { try await Self.get(origin.url(), over: transport, evaluator, change) }
      #expect(Self.resumed(origin).suffix(terms.count).allSatisfy { $0 == (round == 1) })
    }
    await transport.shutdown()
    await origin.stop()
    await proxy.stop()
  }

  @Test func `a session of a server that allows early data is resumed, and kept without it`() async throws {
    let origin = try await Self.origin(.tls13, try .selfSigned()) { $0.earlyData = 16_384 }
    let transport = try CurlTransport()
    for _ in 0..<3 { try await Self.get(origin.url(), over: transport, RecordingTrustEvaluator(key: "a")) }
    #expect(Self.resumed(origin) == [false, true, true])
    let early = await Self.kept(by: transport) { SSL_SESSION_get_max_early_data($0.pointer) }
    #expect(!early.isEmpty && early.allSatisfy { $0 == 0 })
    await transport.shutdown()
    await origin.stop()
  }

  /// Returns what is to be known of the sessions that a transport keeps, which belong to its loop's thread.
  private static func kept<Fact: Sendable>(
    by transport: CurlTransport, _ fact: @escaping @Sendable (ResumableSession) -> Fact
  ) async -> [Fact] {
    await Task(executorPreference: transport.executor) {
      (transport.executor as? CurlewCurlTransport.EventLoop)?.sessions.all.map(fact) ?? []
    }.value
  }

  @Test(arguments: versions)
  func `where a stapled response is required, nothing is resumed`(version: OriginTLS.Version) async throws {
    let origin = try await Self.origin(version, try .selfSigned()) { $0.stapledResponse = [1, 2, 3] }
    let transport = try CurlTransport()
    let evaluator = RecordingTrustEvaluator(requirements: .init(requiresStapledOCSP: true))
    for _ in 0..<3 { try await Self.get(origin.url(), over: transport, evaluator) }
    #expect(Self.resumed(origin) == [false, false, false])
    #expect(evaluator.evaluated.map(\.ocspResponse) == Array(repeating: Data([1, 2, 3]), count: 3))
    await transport.shutdown()
    await origin.stop()
  }

  @Test(arguments: versions)
  func `a client identity is the server's in a resumed session too`(version: OriginTLS.Version) async throws {
    let authority = try TestIdentity.authority()
    let origin = try await Self.origin(version, try authority.issue()) {
      $0.clientCertificates = .issued(by: [authority.root])
    }
    let transport = try CurlTransport()
    let client = try authority.issue(.client())
    let identity = ClientIdentity(
      certificateChain: Data(client.chainPEM.utf8), privateKey: Data(client.key.pem.utf8))
    for _ in 0..<3 {
      try await Self.get(origin.url(), over: transport, RecordingTrustEvaluator(key: "a")) {
        $0.clientIdentity = identity
      }
    }
    #expect(Self.resumed(origin) == [false, true, true])
    #expect(origin.requests.allSatisfy { $0.tls?.clientCertificate == client.certificate.der })
    await transport.shutdown()
    await origin.stop()
  }

  @Test(arguments: versions)
  func `a server that ends a resuming handshake gets a full one when the request is repeated, and no session again`(
    version: OriginTLS.Version
  ) async throws {
    let options = OriginOptions.with { [identity = try TestIdentity.selfSigned()] in
      $0.tls = OriginTLS(identity).with { $0.versions = version...version }
      // The second connection is the first that offers a session.
      $0.connection = { number in ConnectionBehaviour(handshake: number == 2 ? .cut(afterBytes: 0) : nil) }
    }
    let origin = try await ScriptedOrigin.start(options) { _ in .ok("hello", ["Connection": "close"]) }
    let transport = try CurlTransport()
    let loader = Loader(transport)
    var settings = ExchangeSettings()
    settings.serverTrust = RecordingTrustEvaluator(key: "a")
    // Not even safe to repeat, had it been sent.
    let request = Request(.post, origin.url(), body: .text("once"))
    for _ in 0..<4 { _ = try await loader.data(for: request, upTo: 100, in: Exchange(settings)) }
    #expect(Self.resumed(origin) == [false, false, false, false])
    #expect(origin.counters.connectionsAccepted == 5)
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a server that fails for another reason is reported after the repetition`() async throws {
    let options = OriginOptions.with { [identity = try TestIdentity.selfSigned()] in
      $0.tls = OriginTLS(identity)
      $0.connection = { number in ConnectionBehaviour(handshake: number > 1 ? .cut(afterBytes: 0) : nil) }
    }
    let origin = try await ScriptedOrigin.start(options) { _ in .ok("hello", ["Connection": "close"]) }
    let transport = try CurlTransport()
    let evaluator = RecordingTrustEvaluator(key: "a")
    try await Self.get(origin.url(), over: transport, evaluator)
    for (kind, stage) in [
      (NetworkError.Kind.connectionLost, NetworkError.Stage.securing), (.handshakeFailed, .securing),
    ] {
      let error = await #expect(throws: NetworkError.self) {
        try await Self.get(origin.url(), over: transport, evaluator)
      }
      #expect(error?.kind == kind && error?.stage == stage && error?.maybeProcessed == false)
    }
    await transport.shutdown()
    await origin.stop()
  }

  @Test(arguments: versions)
  func `a session with more than 24 kB of certificates is not kept`(version: OriginTLS.Version) async throws {
    for (names, resumes) in [(100, true), (3_000, false)] {
      var profile = CertificateProfile(names: (0..<names).map { "host-\($0).test" })
      profile.notAfter = 3600
      let origin = try await Self.origin(version, try TestIdentity.authority().issue(profile))
      let transport = try CurlTransport()
      for _ in 0..<2 { try await Self.get(origin.url(), over: transport, RecordingTrustEvaluator(key: "a")) }
      #expect(Self.resumed(origin) == [false, resumes])
      await transport.shutdown()
      await origin.stop()
    }
  }

  private static var residentBytes: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }

  /// 1,000 and more in `Scripts/soak`.
  @Test(arguments: versions)
  func `many resumed connections leave no session and no memory behind`(version: OriginTLS.Version) async throws {
    let rounds = getenv("CURLEW_RESUMPTIONS").flatMap { Int(String(cString: $0)) } ?? 100
    let origin = try await Self.origin(version, try .selfSigned())
    let transport = try CurlTransport()
    let evaluator = RecordingTrustEvaluator(key: "a")
    for _ in 0..<50 { try await Self.get(origin.url(), over: transport, evaluator) }
    let (before, memory) = (await Self.kept(by: transport) { $0.tag }.count, Self.residentBytes)
    for _ in 0..<rounds { try await Self.get(origin.url(), over: transport, evaluator) }
    #expect(await Self.kept(by: transport) { $0.tag }.count == before)
    // OpenSSL's servers give two tickets of TLS 1.3, and one when a session is resumed. Each is used once.
    #expect(before == (version == .tls12 ? 1 : 2))
    // Other tests run beside it otherwise. A context and a session that were not freed would take 40 MB.
    if rounds >= 1_000 {
      let growth = Self.residentBytes - memory
      print(
        "figure: \(rounds) resumed connections over \(version), \(growth / 1024) kB more memory than after the first 50"
      )
      #expect(growth < 12 << 20)
    }
    #expect(Self.resumed(origin).dropFirst().allSatisfy { $0 })
    #expect(origin.requests.count == rounds + 50)
    await transport.shutdown()
    await origin.stop()
  }
}
