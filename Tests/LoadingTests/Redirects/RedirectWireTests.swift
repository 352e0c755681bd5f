import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// The matrix once more, over sockets and TLS: what is sent is what the origins have recorded.
@Suite(.timeLimit(.minutes(10))) struct RedirectWireTests {
  /// Where a redirect leads, seen from a first origin in the clear or over TLS.
  enum Way: String, Sendable, CaseIterable {
    case sameOrigin = "the same origin"
    case anotherPort = "another port"
    case anotherHost = "another host"
    case anotherScheme = "another scheme"
  }

  /// Two origins in the clear and two over TLS, each of which redirects as its path says.
  private struct Stage {
    let plain: [ScriptedOrigin]
    let secure: [ScriptedOrigin]

    init() async throws {
      let handler: ScriptedOrigin.Handler = { request in
        _ = await request.body()
        guard request.path == "/from", let query = request.query else { return .ok("end") }
        let status = Int(query.prefix(3)) ?? 500
        return .status(status, "moved", ["Location": query.dropFirst(4).description])
      }
      let tls = OriginTLS(try TestIdentity.selfSigned())
      plain = [try await .start(handler: handler), try await .start(handler: handler)]
      secure = [try await .start(tls: tls, handler: handler), try await .start(tls: tls, handler: handler)]
    }

    func stop() async { for origin in plain + secure { await origin.stop() } }

    func target(_ way: Way, fromSecure: Bool) -> (origin: ScriptedOrigin, url: String) {
      let (same, other) = fromSecure ? (secure, plain) : (plain, secure)
      return switch way {
      case .sameOrigin: (same[0], same[0].address("/to"))
      case .anotherPort: (same[1], same[1].address("/to"))
      case .anotherHost: (same[1], same[1].address("/to", host: "localhost"))
      case .anotherScheme: (other[0], other[0].address("/to"))
      }
    }
  }

  @Test(arguments: Way.allCases, [false, true])
  func `what is sent after a redirect is what the table says`(way: Way, fromSecure: Bool) async throws {
    let stage = try await Stage()
    let transport = try CurlTransport()
    let loader = Loader(transport, chain: InterceptorChain(redirect: Redirect()))
    let origin = fromSecure ? stage.secure[0] : stage.plain[0]
    let target = stage.target(way, fromSecure: fromSecure)
    for status in [301, 302, 303, 307, 308] {
      for method in [HTTPRequest.Method.get, .head, .post, .put, .delete] {
        for body in [Body.empty, .text("body")] where !(method == .head && !body.isEmpty) {
          origin.forgetRequests()
          target.origin.forgetRequests()
          var request = Request(method, origin.url("/from?\(status)=\(target.url)"), body: body)
          request.headerFields = [.authorization: "Bearer one", .cookie: "a=b", .contentType: "text/plain"]
          var settings = ExchangeSettings()
          settings.serverTrust = RecordingTrustEvaluator(key: "accepts")
          let exchange = Exchange(settings)
          let response = try await loader.load(request, in: exchange)
          _ = try await response.body.collect(upTo: 100)

          let name = "\(status) \(method) \(way.rawValue)"
          let sent = try #require(target.origin.requests.last { $0.path == "/to" }, "\(name)")
          let expected = try #require(RedirectMatrixTests.expected(status, method))
          let keepsBody = expected == method && !(status == 303 && method == .get)
          #expect(sent.method == expected.rawValue, "\(name)")
          #expect(sent.text == (keepsBody && !body.isEmpty ? "body" : ""), "\(name)")
          #expect((sent["Content-Type"] != nil) == (keepsBody || body.isEmpty && expected == method), "\(name)")
          #expect((sent["Authorization"] != nil) == (way == .sameOrigin), "\(name)")
          #expect((sent["Cookie"] != nil) == (way == .sameOrigin), "\(name)")
          #expect(response.head.url.absoluteString == target.url)
          #expect(exchange.metrics.map(\.hop) == [0, 1])
          // The 3xx was read to its end, so that its connection goes on.
          if way == .sameOrigin { #expect(sent.isOnReusedConnection, "\(name)") }
        }
      }
    }
    await transport.shutdown()
    await stage.stop()
  }

  @Test func `cookies travel over a redirect between ports, which they do not tell apart`() async throws {
    let second = try await ScriptedOrigin.start { request in .ok(request["Cookie"] ?? "none") }
    let url = second.address("/shop/x")
    let first = try await ScriptedOrigin.start { _ in
      .status(302, ["Location": url, "Set-Cookie": "a=b; Path=/shop"])
    }
    let transport = try CurlTransport()
    let chain = InterceptorChain(redirect: Redirect(), cookies: Cookies(MemoryCookieJar()))
    let response = try await Loader(transport, chain: chain).load(Request(.get, first.url("/")))
    #expect(try await response.body.collect(upTo: 100) == Data("a=b".utf8))
    await transport.shutdown()
    await first.stop()
    await second.stop()
  }
}
