import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// A decision about a server's certificate that takes time.
@Suite(.timeLimit(.minutes(10))) struct ServerTrustAskingTests {
  /// What a person is asked, and says.
  private final class Person: Sendable {
    let questions = Guarded<[Challenge]>([])
    var reasons: [ServerTrustError.Reason?] { questions.withLock { $0.map(\.serverTrust?.reason) } }

    func settings(
      _ evaluator: any ServerTrustEvaluating, _ answer: @escaping @Sendable (ServerTrust) async -> ChallengeAnswer
    ) -> ExchangeSettings {
      var settings = ExchangeSettings()
      settings.serverTrust = evaluator
      settings.hooks.challenge = { [self] challenge in
        questions.withLock { $0.append(challenge) }
        guard let trust = challenge.serverTrust?.trust else { return .defaultHandling }
        return await answer(trust)
      }
      return settings
    }
  }

  /// Sends some requests to another server behind the same name and port.
  private final class Detour: Interceptor {
    private let port: Int
    /// Which sendings are led astray, 0….
    private let sendings: Set<Int>
    private let number = Guarded(0)

    init(port: Int, sendings: Set<Int>) {
      self.port = port
      self.sendings = sendings
    }

    func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
      var request = request
      let isLedAstray = number.withLock { number in
        defer { number += 1 }
        return sendings.contains(number)
      }
      if isLedAstray { request.options.addressOverrides = [AddressOverride(address: "127.0.0.1", addressPort: port)] }
      return try await next(request, in: exchange)
    }
  }

  @Test func `who says yes gets to that server, and is not asked again`() async throws {
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(try .selfSigned())) { _ in .ok("hello") }
    let transport = try CurlTransport()
    let asking = ServerTrustAsking()
    let loader = Loader(transport, chain: InterceptorChain(serverTrust: asking))
    let person = Person()
    let settings = person.settings(try SecurityPolicy.system()) { trust in
      // No byte of the request is sent before the first answer.
      if person.reasons.count == 1 { #expect(origin.requests.isEmpty && origin.counters.handshakes == 0) }
      await Task.yield()
      return .use(.serverTrust(trust))
    }
    let request = Request(.post, origin.url("/", host: "localhost"), body: .text("secret"))
    for _ in 0..<3 {
      let exchange = Exchange(settings)
      let (data, _) = try await loader.data(for: request, upTo: 100, in: exchange)
      #expect(data == Data("hello".utf8))
    }
    #expect(person.reasons == [.untrusted])
    let challenge = try #require(person.questions.withLock { $0.first })
    #expect(challenge.protectionSpace.scheme == ServerTrustAsking.scheme && challenge.previousFailureCount == 0)
    #expect(origin.requests.count == 3 && origin.counters.handshakes == 1)

    // A yes under one policy is none under another, nor for a request that uses nothing remembered.
    var other = person.settings(UndecidedTrust()) { _ in .defaultHandling }
    var error = await #expect(throws: NetworkError.self) { try await loader.load(request, in: Exchange(other)) }
    #expect(error?.kind == .serverTrustRefused && error?.details.trust?.reason == .policy)
    other = settings
    other.hooks.challenge = { _ in .reject }
    other.hooks.mayUseStoredCredentials = { _ in false }
    error = await #expect(throws: NetworkError.self) { try await loader.load(request, in: Exchange(other)) }
    #expect(error?.details.trust?.reason == .untrusted && error?.maybeProcessed == false)
    // Nor is one hook's yes that of another.
    other.hooks.mayUseStoredCredentials = nil
    await #expect(throws: NetworkError.self) { try await loader.load(request, in: Exchange(other)) }
    #expect(origin.requests.count == 3)
    asking.forgetAll()
    _ = try await loader.data(for: request, upTo: 100, in: Exchange(settings))
    #expect(person.reasons == [.untrusted, .policy, .untrusted])
    await transport.shutdown()
    await origin.stop()
  }

  @Test
  func `an impostor with another certificate is asked about again, after a yes and in the place of a known server`()
    async throws
  {
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(try .selfSigned())) { _ in .ok("hello") }
    let shown = try TestIdentity.selfSigned()
    let impostor = try await ScriptedOrigin.start(tls: OriginTLS(shown)) { _ in .ok("caught") }
    let impostorLeaf = Data(shown.certificate.der)
    let transport = try CurlTransport()
    let person = Person()
    let settings = person.settings(try SecurityPolicy.system()) { trust in
      trust.certificates.first == impostorLeaf ? .defaultHandling : .use(.serverTrust(trust))
    }
    let request = Request(.post, origin.url("/", host: "localhost"), body: .text("secret"))
    let asking = ServerTrustAsking()
    // Between question and answer another server takes the place of the first.
    var chain = InterceptorChain(serverTrust: asking, perHop: [Detour(port: impostor.port, sendings: [1, 2])])
    let error = await #expect(throws: NetworkError.self) {
      try await Loader(transport, chain: chain).load(request, in: Exchange(settings))
    }
    #expect(error?.details.trust?.reason == .untrusted)
    #expect(person.reasons == [.untrusted, .untrusted])
    #expect(person.questions.withLock { $0.map(\.previousFailureCount) } == [0, 1])
    #expect(person.questions.withLock { $0.last?.serverTrust?.trust?.certificates } == [impostorLeaf])
    #expect(origin.requests.isEmpty)

    // The first server is known by now; then the other stands in its place, and then the first again.
    chain.perHop = [Detour(port: impostor.port, sendings: [2, 3])]
    let loader = Loader(transport, chain: chain)
    _ = try await loader.data(for: request, upTo: 100, in: Exchange(settings))
    await #expect(throws: NetworkError.self) { try await loader.load(request, in: Exchange(settings)) }
    #expect(person.reasons.count == 4)
    _ = try await loader.data(for: request, upTo: 100, in: Exchange(settings))
    #expect(person.reasons.count == 5 && origin.requests.count == 2)
    #expect(impostor.requests.isEmpty && impostor.counters.handshakes == 0)
    await transport.shutdown()
    await origin.stop()
    await impostor.stop()
  }

  @Test func `every other answer leaves the refusal or ends with its own error, and questions end`() async throws {
    struct Enough: Error {}
    let identity = try TestIdentity.selfSigned()
    let trust = ServerTrust(
      host: "api.example", port: 443, certificates: [Data(identity.certificate.der)], date: Date())
    var refusal = ServerTrustError(.untrusted, message: "The server's certificate is refused.")
    refusal.trust = trust
    var unseen = refusal
    unseen.trust = nil
    let cases: [(ServerTrustError, ChallengeAnswer?, sendings: Int, staysRefusal: Bool)] = [
      (refusal, nil, 1, true), (refusal, .defaultHandling, 1, true), (refusal, .reject, 1, true),
      (refusal, .use(.bearer(token: "t")), 1, true), (refusal, .cancel(Enough()), 1, false),
      (unseen, .use(.serverTrust(trust)), 1, true), (refusal, .use(.serverTrust(trust)), 7, true),
    ]
    for (refusal, answer, count, staysRefusal) in cases {
      let sendings = Guarded(0)
      let next = Next([]) { _, _ in
        sendings.withLock { $0 += 1 }
        throw NetworkError(.serverTrustRefused, stage: .securing, message: refusal.message).with { $0.trust = refusal }
      }
      var settings = ExchangeSettings()
      if let answer { settings.hooks.challenge = { _ in answer } }
      let error = await #expect(throws: (any Error).self) {
        try await ServerTrustAsking().intercept(
          try Request(.get, "https://api.example/"), in: Exchange(settings), next: next)
      }
      #expect(((error as? NetworkError)?.kind == .serverTrustRefused) == staysRefusal)
      #expect(sendings.withLock { $0 } == count)
    }
  }

  @Test func `a body that can be sent only once is asked for again, and the hops of the answers are counted`()
    async throws
  {
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(try .selfSigned())) { request in
      .ok(String(decoding: await request.body(), as: UTF8.self))
    }
    let transport = try CurlTransport()
    let loader = Loader(transport, chain: InterceptorChain(serverTrust: ServerTrustAsking()))
    let person = Person()
    var settings = person.settings(UndecidedTrust()) { .use(.serverTrust($0)) }
    let observer = RecordingObserver()
    settings.observers = [observer]
    let request = Request(.post, origin.url("/", host: "localhost"), body: Self.once("first"))
    let error = await #expect(throws: NetworkError.self) { try await loader.load(request, in: Exchange(settings)) }
    #expect(error?.kind == .bodyNotReplayable && origin.requests.isEmpty)
    settings.hooks.newBody = { _ in Self.once("second") }
    let (data, _) = try await loader.data(
      for: Request(.post, origin.url("/", host: "localhost"), body: Self.once("first")), upTo: 100,
      in: Exchange(settings))
    #expect(data == Data("second".utf8))
    #expect(observer.events.map(\.hop).max() == 1)
    let plain = await #expect(throws: NetworkError.self) {
      try await loader.load(try Request(.get, "http://localhost:1/"), in: Exchange(settings))
    }
    #expect(plain?.kind == .serverTrustRefused)
    await transport.shutdown()
    await origin.stop()
  }

  private static func once(_ text: String) -> Body {
    .stream(
      AsyncStream<Data> { continuation in
        continuation.yield(Data(text.utf8))
        continuation.finish()
      }, length: Int64(text.utf8.count))
  }
}
