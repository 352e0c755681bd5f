#if AsyncHTTPClient
import CurlewAsyncHTTPClientTransport
import CurlewCore
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import NIOSSL
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct TrustTests {
  /// A policy that trusts an identity's root and pins a key.
  ///
  /// - Parameter report: Called for each server whose key is another one; such a server is then trusted.
  private func policy(
    pinning pin: TestCertificate, trusting identity: TestIdentity, report: (@Sendable (TrustReport) -> Void)? = nil
  ) throws -> SecurityPolicy {
    var settings = SecurityPolicy.Settings()
    settings.anchors = .only([try Certificate(der: Data(identity.root.der))])
    settings.pinningMode = .publicKey
    settings.publicKeyPins = [try PublicKeyPin(try #require(pin.pin))]
    settings.reportsPinsOnly = report != nil
    return try SecurityPolicy(settings, report: report)
  }

  /// A leaf below an intermediate, as nearly every server of the internet has.
  private func identity() throws -> TestIdentity { try TestIdentity.authority().issue(.authority()).issue() }

  @Test func `a server whose key is pinned is trusted, also through an intermediate`() async throws {
    let identity = try identity()
    let policy = try policy(pinning: identity.certificate, trusting: identity)
    try await withOrigin(.with { $0.tls = OriginTLS(identity) }) { _ in
      .ok("hello")
    } _: { origin, transport in
      for _ in 0..<2 {
        let answer = try await transport.fetch(Request(.get, origin.url()), in: .with { $0.serverTrust = policy })
        #expect(answer.body == Data("hello".utf8))
        #expect(answer.head.version == .http11)
      }
      #expect(origin.counters.connectionsAccepted == 1)
    }
  }

  @Test func `a server whose key is not pinned gets no byte of the request, and the error comes at once`() async throws
  {
    let identity = try identity()
    let policy = try policy(pinning: try TestIdentity.selfSigned().certificate, trusting: identity)
    try await withOrigin(.with { $0.tls = OriginTLS(identity) }) { _ in
      .ok()
    } _: { origin, transport in
      let took = try await ContinuousClock().measure {
        let error = try await failure {
          _ = try await transport.fetch(
            Request(.post, origin.url(), body: .text("secret")), in: .with { $0.serverTrust = policy })
        }
        #expect(error.kind == .serverTrustRefused)
        #expect(error.stage == .securing)
        #expect(error.details.trust?.reason == .pinMismatch)
        #expect(error.details.trust?.trust?.certificates.count == 2)
        #expect(!error.maybeProcessed)
      }
      // AsyncHTTPClient by default tries again until its connect timeout of ten seconds.
      #expect(took < .seconds(5))
      #expect(origin.requests.isEmpty)
    }
  }

  @Test func `each of the requests that wait for a connection is told of one`() async throws {
    let identity = try identity()
    let wrong = try TestIdentity.selfSigned().certificate
    let count = 8
    let reports = Mutex(Array(repeating: 0, count: count))
    let gate = ManualGate()
    try await withOrigin(.with { $0.tls = OriginTLS(identity) }) { _ in
      try? await gate.wait()
      return .ok("hello")
    } _: { origin, transport in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<count {
          let policy = try policy(pinning: wrong, trusting: identity) { _ in reports.withLock { $0[number] += 1 } }
          group.addTask {
            _ = try await transport.fetch(Request(.get, origin.url()), in: .with { $0.serverTrust = policy })
          }
        }
        // No connection is free until each request has one.
        try await gate.waitForArrivals(count)
        gate.open()
        try await group.waitForAll()
      }
      #expect(origin.counters.connectionsAccepted == count)
      #expect(reports.withLock { $0 } == Array(repeating: 1, count: count))
    }
  }

  @Test func `what a policy requires and the transport cannot do is refused before it connects`() async throws {
    let identity = try identity()
    var stapling = SecurityPolicy.Settings()
    stapling.requiresStapledOCSP = true
    let policy = try SecurityPolicy(stapling)
    let evaluator = RecordingTrustEvaluator()
    try await withOrigin(.with { $0.tls = OriginTLS(identity) }) { _ in
      .ok()
    } _: { origin, transport in
      var request = Request(.get, origin.url())
      var error = try await failure { _ = try await transport.send(request, in: .with { $0.serverTrust = policy }) }
      #expect(error.kind == .unsupported)
      #expect(error.details.missing == .ocspStapling)
      for version in [VersionPolicy.http2, .http2PriorKnowledge] {
        request.options.version = version
        error = try await failure { _ = try await transport.send(request, in: .with { $0.serverTrust = evaluator }) }
        #expect(error.kind == .unsupported)
        #expect(error.details.missing == .http2)
      }
      #expect(evaluator.evaluated.isEmpty)
      #expect(origin.counters.connectionsAccepted == 0)
    }
  }

  @Test func `without an evaluator the configured anchors decide, and the system's by default`() async throws {
    let identity = try identity()
    let files = try identity.writeFiles()
    defer { files.remove() }
    var configuration = AsyncHTTPClientTransport.Configuration()
    configuration.trustRoots = .file(files.root)
    let options = OriginOptions.with { $0.tls = OriginTLS(identity) }
    try await withOrigin(options, configuration) { _ in
      .ok("hello")
    } _: { origin, transport in
      #expect(try await transport.fetch(Request(.get, origin.url())).body == Data("hello".utf8))
      #expect(try await transport.fetch(Request(.get, origin.url(host: "localhost"))).body == Data("hello".utf8))
      let count = origin.requests.count
      try await withTransport { transport in
        let error = try await failure { _ = try await transport.send(Request(.get, origin.url()), in: Exchange()) }
        #expect(error.kind == .serverTrustRefused)
        #expect(error.details.trust?.reason == .untrusted)
        #expect(error.details.underlying is NIOSSLError)
      }
      #expect(origin.requests.count == count)
    }
  }

  @Test func `a certificate for another host is refused without an evaluator`() async throws {
    let identity = try TestIdentity.authority().issue(.client())
    let files = try identity.writeFiles()
    defer { files.remove() }
    var configuration = AsyncHTTPClientTransport.Configuration()
    configuration.trustRoots = .file(files.root)
    try await withOrigin(.with { $0.tls = OriginTLS(identity) }, configuration) { _ in
      .ok()
    } _: { origin, transport in
      let error = try await failure { _ = try await transport.send(Request(.get, origin.url()), in: Exchange()) }
      #expect(error.kind == .serverTrustRefused)
      #expect(origin.requests.isEmpty)
    }
  }

  @Test(arguments: [true, false])
  func `a client identity is presented to a server that asks for one`(isEvaluated: Bool) async throws {
    let authority = try TestIdentity.authority()
    let client = try authority.issue(.client())
    let files = try client.writeFiles()
    defer { files.remove() }
    let identity = ClientIdentity(
      certificateChain: try Data(contentsOf: URL(filePath: files.chain)),
      privateKey: try Data(contentsOf: URL(filePath: files.key)))
    var configuration = AsyncHTTPClientTransport.Configuration()
    configuration.trustRoots = .file(files.root)
    let tls = OriginTLS(try authority.issue()).with { $0.clientCertificates = .required }
    try await withOrigin(.with { $0.tls = tls }, configuration) { _ in
      .ok()
    } _: { origin, transport in
      let exchange = Exchange.with { settings in
        settings.clientIdentity = identity
        if isEvaluated { settings.serverTrust = RecordingTrustEvaluator() }
      }
      _ = try await transport.fetch(Request(.get, origin.url()), in: exchange)
      #expect(origin.requests.first?.tls?.clientCertificate == client.certificate.der)
      let nobody = Exchange.with { if isEvaluated { $0.serverTrust = RecordingTrustEvaluator() } }
      _ = try await failure { _ = try await transport.fetch(Request(.get, origin.url()), in: nobody) }
      #expect(origin.requests.count == 1)
      let broken = Exchange.with {
        $0.clientIdentity = ClientIdentity(certificateChain: Data("a".utf8), privateKey: Data())
      }
      let error = try await failure { _ = try await transport.fetch(Request(.get, origin.url()), in: broken) }
      #expect(error.kind == .clientIdentityFailed)
    }
  }

  @Test func `TLS that fails for another reason is told apart`() async throws {
    for acceptance in [.close, .send([UInt8]("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))]
      as [ConnectionBehaviour.Acceptance]
    {
      try await withOrigin(.with { $0.connection = { _ in ConnectionBehaviour(acceptance) } }) { _ in
        .ok()
      } _: { origin, transport in
        let url = try #require(URL(string: "https://127.0.0.1:\(origin.port)/"))
        for evaluator in [nil, RecordingTrustEvaluator()] {
          let error = try await failure {
            _ = try await transport.send(
              Request(.post, url, body: .text("x")), in: .with { $0.serverTrust = evaluator })
          }
          #expect([.handshakeFailed, .connectionLost].contains(error.kind), "\(error)")
          #expect(!error.maybeProcessed)
        }
      }
    }
  }
}
#endif
