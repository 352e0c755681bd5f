import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// A 401 on either side of a redirect to another origin: neither origin sees what is for the other.
@Suite struct RedirectedChallengeTests {
  private static func basic(_ user: String) -> String {
    "Basic " + Data("\(user):secret-of-\(user)".utf8).base64EncodedString()
  }

  /// Asks for Basic, lets one user in, and then redirects where the query says.
  private static func origin(of user: String) async throws -> ScriptedOrigin {
    try await .start { request in
      guard request["Authorization"] == basic(user) else {
        return .status(
          401, ["WWW-Authenticate": "Basic realm=\"\(user)\"", "Set-Cookie": "of-\(user)=1; Path=/\(user)"])
      }
      guard let target = request.query else { return .ok("hello \(user)") }
      return .redirect(307, to: target)
    }
  }

  private struct Pair {
    let first: ScriptedOrigin
    let second: ScriptedOrigin
    let transport: CurlTransport
    let loader: Loader

    init(_ authentication: Authentication = Authentication()) async throws {
      first = try await RedirectedChallengeTests.origin(of: "a")
      second = try await RedirectedChallengeTests.origin(of: "b")
      transport = try CurlTransport()
      let chain = InterceptorChain(
        redirect: Redirect(), cookies: Cookies(MemoryCookieJar()), authentication: authentication)
      loader = Loader(transport, chain: chain)
    }

    /// Answers each origin with its own user.
    func app() -> App {
      App { [port = first.port] challenge in
        guard challenge.previousFailureCount == 0 else { return .defaultHandling }
        let user = challenge.protectionSpace.origin.port == port ? "a" : "b"
        return .use(.password(user: user, password: "secret-of-\(user)"))
      }
    }

    /// What each origin was shown, without what it was not shown.
    func shown(_ origin: ScriptedOrigin, _ field: String) -> Set<String> {
      Set(origin.requests.compactMap { $0[field] })
    }

    func stop() async {
      await transport.shutdown()
      await first.stop()
      await second.stop()
    }
  }

  @Test func `each origin's challenge is answered with its own credentials, and shown those alone`() async throws {
    let pair = try await Pair()
    // There, back, and there again; the second time what is known is sent unasked.
    for _ in 0..<2 {
      let back = pair.first.address("/a/2?\(pair.second.address("/b/3", host: "localhost"))")
      let there = pair.second.address("/b/1?\(back)", host: "localhost")
      let result = try await pair.app().load(pair.first.address("/a/0?\(there)"), pair.loader)
      #expect(result.text == "hello b")
    }
    #expect(pair.shown(pair.first, "Authorization") == [Self.basic("a")])
    #expect(pair.shown(pair.second, "Authorization") == [Self.basic("b")])
    #expect(pair.shown(pair.first, "Cookie") == ["of-a=1"])
    #expect(pair.shown(pair.second, "Cookie") == ["of-b=1"])
    await pair.stop()
  }

  @Test func `an Authorization of the app's own is for the first origin, whatever the second asks`() async throws {
    for answers in [false, true] {
      let pair = try await Pair()
      var request = try Request(
        .get, pair.first.address("/a?\(pair.second.address("/b", host: "localhost"))"))
      request.headerFields[.authorization] = Self.basic("a")
      let result = try await (answers ? pair.app() : App()).load(request, pair.loader)
      #expect(result.status == (answers ? 200 : 401))
      #expect(pair.shown(pair.first, "Authorization") == [Self.basic("a")])
      #expect(pair.shown(pair.second, "Authorization") == (answers ? [Self.basic("b")] : []))
      await pair.stop()
    }
  }

  @Test func `hops of challenges and redirects are counted together`() async throws {
    let pair = try await Pair()
    let exchange = Exchange(pair.app().settings)
    let response = try await pair.loader.load(
      Request(.get, pair.first.address("/a?\(pair.second.address("/b", host: "localhost"))")), in: exchange)
    _ = try await response.body.collect(upTo: 100)
    #expect(exchange.metrics.map(\.hop) == [0, 1, 2, 3])
    #expect(response.head.url.host() == "localhost")
    await pair.stop()
  }
}
