import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewSecurity
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// A proxy's 407, in the open and before a tunnel.
@Suite struct ProxyAuthenticationTests {
  private static func through(_ port: Int, _ app: App, credential: Credential? = nil) -> App {
    var app = app
    app.settings.proxy = Proxy(host: "127.0.0.1", port: port, credential: credential)
    return app
  }

  @Test func `a proxy's Basic is answered by the hook, in the open`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("through") }
    let proxy = try await ScriptedProxy.start(credentials: "wader:sécret")
    let transport = try CurlTransport()
    let loader = Loader(transport, interceptors: [Authentication()])
    let app = Self.through(proxy.port, App(user: "wader", password: "sécret"))
    for _ in 0..<3 { #expect(try await app.load(Request(.get, origin.url("/x")), loader) == (200, "through")) }
    #expect(app.asked.challenges.count == 1)
    #expect(app.asked.challenges.first?.protectionSpace.isProxy == true)
    #expect(app.asked.challenges.first?.protectionSpace.origin.port == proxy.port)
    #expect(origin.requests.allSatisfy { $0["Proxy-Authorization"] == nil && $0["Authorization"] == nil })
    await transport.shutdown()
    await origin.stop()
    await proxy.stop()
  }

  @Test func `a proxy's credential is not used for a request whose proxy has none`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("through") }
    let proxy = try await ScriptedProxy.start(credentials: "wader:secret")
    let transport = try CurlTransport()
    let loader = Loader(transport, interceptors: [Authentication()])
    let own = Self.through(proxy.port, App(), credential: .password(user: "wader", password: "secret"))
    let other = Self.through(proxy.port, App())
    let request = Request(.get, origin.url("/x"))
    for _ in 0..<2 {
      #expect(try await own.load(request, loader) == (200, "through"))
      #expect(try await other.load(request, loader).status == 407)
    }
    // Unasked the second time: three requests of its own, and two of the other one.
    #expect(origin.requests.count == 2)
    await transport.shutdown()
    await origin.stop()
    await proxy.stop()
  }

  @Test func `a tunnel's 407 is answered by the same hook, and a body that goes once is asked for again`() async throws
  {
    let identity = try TestIdentity.selfSigned()
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(identity)) { request in
      .ok(String(decoding: await request.body(), as: UTF8.self))
    }
    let proxy = try await ScriptedProxy.start(
      credentials: "wader:secret", routes: ["api.example:443": origin.port])
    let transport = try CurlTransport()
    let loader = Loader(transport, interceptors: [Authentication()])
    var app = Self.through(proxy.port, App(user: "wader", password: "secret"))
    app.settings.serverTrust = ExactTrustEvaluator([Data(identity.certificate.der)])
    let url = try #require(URL(string: "https://api.example/"))
    let request = Request(.post, url, body: Self.once())
    // A transport may have begun to read it.
    let asking = app
    let error = await #expect(throws: NetworkError.self) { try await asking.load(request, loader) }
    #expect(error?.kind == .bodyNotReplayable)
    app.settings.hooks.newBody = { _ in Self.once() }
    #expect(try await app.load(request, loader) == (200, "once"))
    // Known by now.
    app.settings.hooks.newBody = nil
    #expect(try await app.load(Request(.post, url, body: Self.once()), loader) == (200, "once"))
    #expect(app.asked.challenges.count == 2)
    #expect(origin.requests.allSatisfy { $0["Proxy-Authorization"] == nil && $0["Authorization"] == nil })
    await transport.shutdown()
    await origin.stop()
    await proxy.stop()
  }

  private static func once() -> Body {
    let (chunks, feed) = AsyncStream.makeStream(of: Data.self)
    feed.yield(Data("once".utf8))
    feed.finish()
    return .stream(chunks)
  }

  /// Chooses the proxy of each hop by the scheme of its URL.
  private struct Choosing: Interceptor {
    let (plain, tunnel): (Proxy, Proxy)

    init(_ plain: Proxy, _ tunnel: Proxy) { (self.plain, self.tunnel) = (plain, tunnel) }

    func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
      let proxy = try request.origin.scheme == .https ? tunnel : plain
      return try await next(request, in: exchange.derived { $0.proxy = proxy })
    }
  }

  @Test func `a proxy that an interceptor chooses for a hop gets its own credential when it asks`() async throws {
    let identity = try TestIdentity.selfSigned()
    let inner = try await ScriptedOrigin.start(tls: OriginTLS(identity)) { _ in .ok("through") }
    let outer = try await ScriptedOrigin.start { _ in .status(302, ["Location": "https://api.example/"]) }
    let plain = try await ScriptedProxy.start(credentials: "wader:plain")
    let tunnel = try await ScriptedProxy.start(credentials: "wader:tunnel", routes: ["api.example:443": inner.port])
    func proxy(_ port: Int, _ password: String) -> Proxy {
      Proxy(host: "127.0.0.1", port: port, credential: .password(user: "wader", password: password))
    }
    let transport = try CurlTransport()
    let loader = Loader(
      transport,
      chain: InterceptorChain(
        redirect: Redirect(), proxy: Choosing(proxy(plain.port, "plain"), proxy(tunnel.port, "tunnel")),
        authentication: Authentication()))
    var app = App()
    app.settings.serverTrust = ExactTrustEvaluator([Data(identity.certificate.der)])
    for _ in 0..<2 { #expect(try await app.load(Request(.get, outer.url("/x")), loader) == (200, "through")) }
    #expect((outer.requests + inner.requests).allSatisfy { $0["Proxy-Authorization"] == nil })
    await transport.shutdown()
    for origin in [inner, outer] { await origin.stop() }
    for proxy in [plain, tunnel] { await proxy.stop() }
  }

  @Test func `a tunnel that nobody can answer for fails with the challenge`() async throws {
    let proxy = try await ScriptedProxy.start(credentials: "wader:secret")
    let transport = try CurlTransport()
    let loader = Loader(transport, interceptors: [Authentication()])
    for app in [App(), App { _ in .reject }, App { _ in .use(.password(user: "wader", password: "wrong")) }] {
      let error = await #expect(throws: NetworkError.self) {
        try await Self.through(proxy.port, app).load("https://api.example/", loader)
      }
      #expect(error?.kind == .proxyChallenge)
      #expect(error?.details.proxyChallenges.first?.protectionSpace.realm == "curlew")
    }
    await transport.shutdown()
    await proxy.stop()
  }

  @Test func `a proxy's Digest is answered in the open, with the credential the proxy was given with`() async throws {
    let books = DigestBooks()
    let origin = try await ScriptedOrigin.start { _ in .ok("through") }
    let proxy = try await ScriptedProxy.start { request in
      let path =
        request.target.firstRange(of: "127.0.0.1:\(origin.port)").map { request.target[$0.upperBound...] } ?? ""
      let (challenge, _) = books.judge(
        request.fields["Proxy-Authorization"], method: request.method, target: String(path), body: [], reply: [])
      return challenge.map { .status(407, ["Proxy-Authenticate": $0]) } ?? .forward
    }
    let transport = try CurlTransport()
    let loader = Loader(transport, interceptors: [Authentication()])
    let app = Self.through(proxy.port, App(), credential: .password(user: "wader", password: "sécret"))
    #expect(try await app.load(Request(.get, origin.url("/x")), loader) == (200, "through"))
    let asking = Self.through(proxy.port, App(user: "wader", password: "sécret"))
    for _ in 0..<10 { #expect(try await asking.load(Request(.get, origin.url("/x")), loader).status == 200) }
    #expect(books.counts[0] == 11)
    // Asked once: what was given with the proxy is for requests with the same credential.
    #expect(asking.asked.challenges.count == 1)
    #expect(origin.requests.allSatisfy { $0["Proxy-Authorization"] == nil })
    await transport.shutdown()
    await origin.stop()
    await proxy.stop()
  }

  @Test func `a proxy's Digest is answered before a tunnel, with the credential the proxy was given with`() async throws
  {
    let books = DigestBooks()
    let identity = try TestIdentity.selfSigned()
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(identity)) { _ in .ok("through") }
    let proxy = try await ScriptedProxy.start(routes: ["api.example:443": origin.port]) { request in
      let (challenge, _) = books.judge(
        request.fields["Proxy-Authorization"], method: request.method, target: request.target, body: [], reply: [])
      return challenge.map { .status(407, ["Proxy-Authenticate": $0]) } ?? .forward
    }
    let transport = try CurlTransport()
    let loader = Loader(transport, interceptors: [Authentication()])
    var app = Self.through(proxy.port, App(), credential: .password(user: "wader", password: "sécret"))
    app.settings.serverTrust = ExactTrustEvaluator([Data(identity.certificate.der)])
    for _ in 0..<3 { #expect(try await app.load("https://api.example/", loader) == (200, "through")) }
    #expect(proxy.requests.first?.fields["Proxy-Authorization"] == nil)
    #expect(proxy.requests.count == 2)
    #expect(proxy.requests.last?.fields["Proxy-Authorization"]?.hasPrefix("Digest ") == true)
    // The tunnel is the account's own, although each response of Digest is another text.
    for credential in [Credential.password(user: "wader", password: "wrong"), nil] {
      app.settings.proxy?.credential = credential
      let other = Loader(transport, interceptors: [Authentication()])
      let refused = app
      let error = await #expect(throws: NetworkError.self) { try await refused.load("https://api.example/", other) }
      #expect(error?.kind == .proxyChallenge)
    }
    #expect(origin.requests.count == 3)
    #expect(origin.requests.allSatisfy { $0["Proxy-Authorization"] == nil && $0["Authorization"] == nil })
    await transport.shutdown()
    await origin.stop()
    await proxy.stop()
  }

  @Test(arguments: ["http", "https"])
  func `a proxy gets no credential before it asks, whatever it offers`(scheme: String) async throws {
    let proxy = try await ScriptedProxy.start { _ in .status(407, ["Proxy-Authenticate": "Negotiate"]) }
    let transport = try CurlTransport()
    let loader = Loader(transport, interceptors: [Authentication()])
    let app = Self.through(proxy.port, App(), credential: .password(user: "wader", password: "secret"))
    if scheme == "https" {
      let error = await #expect(throws: NetworkError.self) { try await app.load("https://api.example/", loader) }
      #expect(error?.kind == .proxyChallenge)
    } else {
      #expect(try await app.load("http://api.example/", loader).status == 407)
    }
    #expect(proxy.requests.count == 1)
    #expect(proxy.requests.allSatisfy { $0.fields["Proxy-Authorization"] == nil })
    await transport.shutdown()
    await proxy.stop()
  }

  @Test func `a proxy that is to have credentials unasked gets them, and the server does not`() async throws {
    let identity = try TestIdentity.selfSigned()
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(identity)) { _ in .ok("through") }
    let plain = try await ScriptedOrigin.start { _ in .ok("through") }
    let proxy = try await ScriptedProxy.start(credentials: "wader:secret", routes: ["api.example:443": origin.port])
    let transport = try CurlTransport()
    var app = Self.through(proxy.port, App())
    app.settings.proxy?.authorization = Data.basic("wader:secret")
    app.settings.serverTrust = ExactTrustEvaluator([Data(identity.certificate.der)])
    let loader = Loader(transport)
    #expect(try await app.load("https://api.example/", loader) == (200, "through"))
    #expect(try await app.load(Request(.get, plain.url("/x")), loader) == (200, "through"))
    #expect(proxy.requests.count == 2)
    #expect((origin.requests + plain.requests).allSatisfy { $0["Proxy-Authorization"] == nil })
    // One that an app put among the request's own fields stays outside the tunnel too.
    let url = try #require(URL(string: "https://api.example/"))
    let fields: HTTPFields = [.proxyAuthorization: Data.basic("wader:secret")]
    #expect(try await app.load(Request(.get, url, headerFields: fields), loader) == (200, "through"))
    #expect(origin.requests.last?["Proxy-Authorization"] == nil)
    await transport.shutdown()
    await origin.stop()
    await plain.stop()
    await proxy.stop()
  }

  @Test func `an origin that pretends to be a proxy gets nothing`() async throws {
    let app = App(user: "wader", password: "secret")
    let answer = StubAnswer.challenge("Basic realm=\"give\"", status: .proxyAuthenticationRequired)
    let capabilities = StubTransport.defaultCapabilities.union(.proxy)
    let transport = RecordingTransport(StubTransport(answer, capabilities: capabilities))
    let loader = Loader(transport, interceptors: [Authentication()])
    #expect(try await app.load("https://a.example/", loader).status == 407)
    // Through a tunnel it is the origin's word too.
    #expect(try await Self.through(8080, app).load("https://a.example/", loader).status == 407)
    var socks = app
    socks.settings.proxy = Proxy(.socks5, host: "127.0.0.1", port: 1080)
    #expect(try await socks.load("http://a.example/", loader).status == 407)
    #expect(app.asked.challenges.isEmpty)
    #expect(transport.requests.count == 3)
  }

  @Test func `a server's and a proxy's challenge to one request are both answered`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      request["Authorization"] == Data.basic("server:s")
        ? .ok("both") : .status(401, ["WWW-Authenticate": "Basic realm=\"s\""])
    }
    let proxy = try await ScriptedProxy.start(credentials: "proxy:p")
    let transport = try CurlTransport()
    let loader = Loader(transport, interceptors: [Authentication()])
    let app = App { challenge in
      challenge.previousFailureCount > 0
        ? .reject
        : challenge.protectionSpace.isProxy
          ? .use(.password(user: "proxy", password: "p")) : .use(.password(user: "server", password: "s"))
    }
    #expect(try await Self.through(proxy.port, app).load(Request(.get, origin.url("/x")), loader) == (200, "both"))
    #expect(app.asked.challenges.count == 2)
    await transport.shutdown()
    await origin.stop()
    await proxy.stop()
  }
}
