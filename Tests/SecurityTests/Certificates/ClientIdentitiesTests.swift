import CurlewCore
import CurlewCurlTransport
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct ClientIdentitiesTests {
  @Test func `each host is shown its own identity, and others none`() async throws {
    let all = try ["exact", "wild", "own"].map { try Self.identity($0) }
    let identities = try ClientIdentities(["api.example": all[0], "*.Partner.example.": all[1]])
    let asked: [(String, ClientIdentity?)] = [
      ("https://api.example/", all[0]), ("https://API.example./", all[0]), ("https://a.partner.example:8443/", all[1]),
      ("https://partner.example/", nil), ("https://other.example/", nil), ("http://api.example/", nil),
    ]
    for (url, identity) in asked {
      let seen = Guarded<ClientIdentity?>(nil)
      let next = Next([]) { request, exchange in
        seen.withLock { $0 = exchange.settings.clientIdentity }
        return Self.response(to: request)
      }
      _ = try await identities.intercept(try Request(.get, url), in: Exchange(), next: next)
      #expect(seen.withLock { $0 } == identity, "\(url)")
      var settings = ExchangeSettings()
      settings.clientIdentity = all[2]
      _ = try await identities.intercept(try Request(.get, url), in: Exchange(settings), next: next)
      #expect(seen.withLock { $0 } == all[2])
    }
    let error = #expect(throws: SecurityError.self) {
      try ClientIdentities(["a.example": all[0], "A.example": all[1]])
    }
    #expect(error?.kind == .malformedHost)
  }

  @Test(arguments: [OriginTLS.Version.tls12, .tls13])
  func `a server that wants an identity is a challenge, and the answer that works is kept`(
    version: OriginTLS.Version
  ) async throws {
    let root = try TestIdentity.authority()
    let tls = OriginTLS(try root.issue()).with {
      $0.clientCertificates = .issued(by: [root.root])
      $0.versions = version...version
    }
    let origin = try await ScriptedOrigin.start(tls: tls) { _ in .ok("hello", ["Connection": "close"]) }
    let transport = try CurlTransport()
    let right = try Self.identity("right", under: root)
    let wrong = try Self.identity("wrong", under: try TestIdentity.authority())
    let questions = Guarded<[Challenge]>([])
    var settings = ExchangeSettings()
    settings.serverTrust = RecordingTrustEvaluator()
    settings.hooks.challenge = { question in
      questions.withLock { $0.append(question) }
      return .use(.identity(question.previousFailureCount == 0 ? wrong : right))
    }
    let identities = try ClientIdentities()
    let next = Next([]) { request, exchange in try await transport.send(request, in: exchange) }
    for _ in 0..<3 {
      let request = Request(.post, origin.url(), body: .text("once"))
      let response = try await identities.intercept(request, in: Exchange(settings), next: next)
      #expect(try await response.body.collect(upTo: 100) == Data("hello".utf8))
    }
    let asked = questions.withLock { $0 }
    #expect(asked.map(\.previousFailureCount) == [0, 1])
    #expect(asked.map(\.proposedCredential) == [nil, .identity(wrong)])
    #expect(asked.allSatisfy { $0.protectionSpace.scheme == ClientIdentities.scheme })
    #expect(origin.requests.count == 3)
    // Another user's hook, or none, does not use the identity.
    for hook in [nil, { @Sendable (_: Challenge) async -> ChallengeAnswer in .defaultHandling }] {
      settings.hooks.challenge = hook
      let error = await #expect(throws: NetworkError.self) {
        try await identities.intercept(Request(.get, origin.url()), in: Exchange(settings), next: next).body.collect(
          upTo: 9)
      }
      #expect(error?.kind == .clientIdentityFailed)
    }
    #expect(origin.requests.count == 3)
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `who answers otherwise, or nobody, leaves the refusal; a body that can be sent once is not asked for`()
    async throws
  {
    let refusal = NetworkError(.clientIdentityFailed, stage: .securing, message: "The server wants one.")
    let sendings = Guarded(0)
    let next = Next([]) { _, _ in
      sendings.withLock { $0 += 1 }
      throw refusal
    }
    let identity = try Self.identity("any")
    let answers: [(ChallengeAnswer?, Int, Bool)] = [
      (nil, 1, true), (.defaultHandling, 1, true), (.reject, 1, true), (.use(.bearer(token: "t")), 1, true),
      (.cancel(CancellationError()), 1, false), (.use(.identity(identity)), 4, true),
    ]
    for (answer, count, staysRefusal) in answers {
      sendings.withLock { $0 = 0 }
      var settings = ExchangeSettings()
      if let answer { settings.hooks.challenge = { _ in answer } }
      let error = await #expect(throws: (any Error).self) {
        try await ClientIdentities().intercept(
          try Request(.get, "https://api.example/"), in: Exchange(settings), next: next)
      }
      #expect(((error as? NetworkError)?.kind == .clientIdentityFailed) == staysRefusal)
      #expect(sendings.withLock { $0 } == count)
    }
    sendings.withLock { $0 = 0 }
    var settings = ExchangeSettings()
    settings.hooks.challenge = { _ in .use(.identity(identity)) }
    var once = try Request(.post, "https://api.example/")
    once.body = .stream(replayable: false) { EmptyChunks() }
    await #expect(throws: NetworkError.self) {
      try await ClientIdentities().intercept(once, in: Exchange(settings), next: next)
    }
    #expect(sendings.withLock { $0 } == 1)
  }

  private static func identity(_ name: String, under root: TestIdentity? = nil) throws -> ClientIdentity {
    let issuer = if let root { root } else { try TestIdentity.authority() }
    let identity = try issuer.issue(.client(name))
    return try ClientIdentity(pem: Data(identity.chainPEM.utf8), key: Data(identity.key.pem.utf8))
  }

  private static func response(to request: Request) -> Response {
    Response(head: ResponseHead(url: request.url, status: .ok), body: ResponseBody(Data()))
  }
}

private final class EmptyChunks: BodyChunks {
  func next() async throws -> Data? { nil }
}
