import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSecurity

/// The cache and the connections know each credential. Client identities: `TrustLockTests`.
@Suite(.timeLimit(.minutes(10))) struct KnownCredentialsTests {
  @Test func `a response that is stored for one token is given to no other`() async throws {
    let transport = StubTransport { asked in
      let field = asked.request.headerFields[.authorization] ?? "nobody"
      return .bytes(Data(field.utf8), headerFields: [.cacheControl: "private, max-age=86400"])
    }
    let endpoint = TokenEndpoint { _, _ in .json(#"{"access_token": "C", "token_type": "Bearer"}"#) }
    let caching = Caching(MemoryCacheStore())
    func text(_ tokens: [TokenSource]) async throws -> String {
      let chain = InterceptorChain(authentication: Authentication(tokens: tokens), caching: caching)
      let (data, _) = try await Loader(transport, chain: chain).data(for: Request(.get, "https://a.test/"), upTo: 100)
      return String(decoding: data, as: UTF8.self)
    }
    for _ in 0..<3 {
      for name in ["A", "B"] {
        let token = OAuth2Token(BearerToken(name), refreshToken: "R")
        let tokens = try TokenSource(for: ["https://a.test"], refreshing: endpoint.client(), token: token)
        #expect(try await text([tokens]) == "Bearer " + name)
      }
      #expect(
        try await text([TokenSource(for: ["https://a.test"], clientCredentials: endpoint.client())]) == "Bearer C")
      #expect(try await text([]) == "nobody")
    }
    // Each was stored for its own credential.
    #expect(transport.requestCount == 4)
  }

  @Test func `a tunnel through the environment's proxy is used for the account that opened it only`() async throws {
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(try .selfSigned())) { _ in .ok("hello") }
    let proxy = try await ScriptedProxy.start()
    let transport = try CurlTransport()
    var settings = ExchangeSettings()
    settings.serverTrust = RecordingTrustEvaluator()
    for (account, connections) in [("a:x@", 1), ("b:x@", 2), ("a:x@", 2), ("a:y@", 3), ("", 4), ("b:x@", 4)] {
      let proxies = EnvironmentProxies(["https_proxy": "http://\(account)127.0.0.1:\(proxy.port)"])
      let loader = Loader(transport, chain: InterceptorChain(proxy: proxies, authentication: Authentication()))
      let (data, _) = try await loader.data(for: Request(.get, origin.url()), upTo: 100, in: Exchange(settings))
      #expect(data.count == 5)
      #expect(proxy.counters.connectionsAccepted == connections, "\(account)")
    }
    await transport.shutdown()
    await origin.stop()
    await proxy.stop()
  }
}
