import CurlewCore
import CurlewLoading
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// The rules of RFC 6797 §8, over a loader.
@Suite struct HSTSTests {
  private let clock = ManualClock()

  /// What was sent, for a list of requests one after the other.
  private func sent(
    _ urls: [String], hosts: HSTSHosts = HSTSHosts(),
    field: @escaping @Sendable (StubTransport.Asked) -> [String] = { _ in [] }
  ) async throws -> [String] {
    let transport = RecordingTransport(
      StubTransport { asked in
        var answer = StubAnswer.text("")
        for value in field(asked) {
          answer.headerFields.append(HTTPField(name: .strictTransportSecurity, value: value))
        }
        return answer
      })
    let loader = Loader(transport, chain: InterceptorChain(redirect: Redirect(), hsts: HSTS(hosts)))
    for url in urls {
      _ = try await loader.data(for: Request(.get, url), upTo: 100, in: Exchange(Fixture.settings(clock: clock)))
    }
    return transport.requests.map { $0.url.absoluteString }
  }

  @Test(arguments: [
    ("http://a.test/p?q=1#f", "https://a.test/p?q=1"), ("http://a.test:80/", "https://a.test/"),
    ("http://a.test:8080/", "https://a.test:8080/"), ("http://A.test./", "https://a.test./"),
    ("http://a.test:443/", "https://a.test/"), ("http://a.test//b/%2e?%C3%A9", "https://a.test//b/%2e?%C3%A9"),
    ("http://x.a.test/", "http://x.a.test/"), ("http://test/", "http://test/"), ("http://xa.test/", "http://xa.test/"),
  ])
  func `a host that asked for TLS is requested over it, and no other`(url: String, expected: String) async throws {
    let urls = try await sent(["https://a.test/", url]) { _ in ["max-age=10"] }
    #expect(urls.last == expected)
  }

  @Test func `a policy with its subdomains is for all names below, and only for whole labels`() async throws {
    let below = ["http://x.a.test/", "http://y.x.a.test/", "http://xa.test/", "http://test/"]
    let urls = try await sent(["https://a.test/"] + below) { _ in ["max-age=10; includeSubDomains"] }
    #expect(
      urls.dropFirst() == ["https://x.a.test/", "https://y.x.a.test/", "http://xa.test/", "http://test/"])
  }

  @Test func `a policy ends in time, is renewed and is withdrawn`() async throws {
    let hosts = HSTSHosts()
    func isUpgraded() async throws -> Bool { try await sent(["http://a.test/"], hosts: hosts) == ["https://a.test/"] }
    _ = try await sent(["https://a.test/"], hosts: hosts) { _ in ["max-age=10"] }
    clock.advance(by: .seconds(9))
    #expect(try await isUpgraded())
    _ = try await sent(["http://a.test/"], hosts: hosts) { _ in ["max-age=10"] }
    clock.advance(by: .seconds(9))
    #expect(try await isUpgraded())
    clock.advance(by: .seconds(1))
    #expect(try await !isUpgraded())
    _ = try await sent(["https://a.test/", "https://a.test/"], hosts: hosts) { asked in
      [asked.index == 0 ? "max-age=10" : "max-age=0"]
    }
    #expect(try await !isUpgraded())
    // A domain above it may still have one.
    hosts.set("test", until: .latest, includesSubdomains: true)
    #expect(try await isUpgraded())
  }

  @Test func `a field over plain http, of an address, or that is malformed changes nothing`() async throws {
    for (first, second) in [
      ("http://a.test/", "http://a.test/"), ("https://10.0.0.1/", "http://10.0.0.1/"),
      ("https://[::1]/", "http://[::1]/"),
    ] {
      #expect(try await sent([first, second]) { _ in ["max-age=10; includeSubDomains"] } == [first, second])
    }
    let malformed = try await sent(["https://a.test/", "http://a.test/"]) { _ in ["max-age=10; max-age=10"] }
    #expect(malformed.last == "http://a.test/")
    // A field replaces the one before as a whole.
    let replaced = try await sent(["https://a.test/1", "https://a.test/2", "http://x.a.test/"]) { asked in
      [asked.index == 0 ? "max-age=10; includeSubDomains" : "max-age=10"]
    }
    #expect(replaced.last == "http://x.a.test/")
    // Only the first of several fields counts.
    let several = try await sent(["https://a.test/", "http://a.test/"]) { _ in ["nothing", "max-age=10"] }
    #expect(several.last == "http://a.test/")
  }

  @Test func `a field counts for the URL that answered, whatever was asked for`() async throws {
    struct Downgrading: Interceptor {
      func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
        try await next(Request(.get, request.url.absoluteString.replacing("https:", with: "http:")), in: exchange)
      }
    }
    let hosts = HSTSHosts()
    let answer = StubAnswer(.ok, headerFields: [.strictTransportSecurity: "max-age=10"])
    let chain = InterceptorChain(hsts: HSTS(hosts), perHop: [Downgrading()])
    let loader = Loader(StubTransport(answer), chain: chain)
    _ = try await loader.data(for: Request(.get, "https://a.test/"), upTo: 10)
    #expect(!hosts.contains("a.test", at: HTTPDate(secondsSince1970: 0)))
  }

  @Test func `names outside ASCII are compared as they are looked up`() async throws {
    let urls = try await sent(["https://bücher.test/", "http://XN--BCHER-KVA.test/"]) { _ in ["max-age=10"] }
    #expect(urls.last == "https://xn--bcher-kva.test/")
  }

  @Test func `neither a redirect nor a stored one leads back to http`() async throws {
    let transport = RecordingTransport(
      StubTransport { asked in
        guard asked.request.url.path() == "/old" else { return .text("end") }
        return StubAnswer(
          .movedPermanently,
          headerFields: [
            .location: "http://a.test/new", .cacheControl: "max-age=1000", .strictTransportSecurity: "max-age=10",
          ])
      })
    let jar = MemoryCookieJar()
    let chain = InterceptorChain(
      redirect: Redirect(), hsts: HSTS(), cookies: Cookies(jar), caching: Caching(MemoryCacheStore(capacity: 1 << 20)))
    let loader = Loader(transport, chain: chain)
    for _ in 0..<2 {
      let request = try Request(.get, "https://a.test/old")
      let (data, head) = try await loader.data(for: request, upTo: 10, in: Exchange(Fixture.settings(clock: clock)))
      #expect(String(decoding: data, as: UTF8.self) == "end")
      #expect(head.url.scheme == "https")
    }
    #expect(transport.requests.allSatisfy { $0.url.scheme == "https" })
    // The second time the redirect came from the cache.
    #expect(transport.requests.filter { $0.url.path() == "/old" }.count == 1)
  }

  @Test func `a redirect leads from the URL that was requested over TLS`() async throws {
    let hosts = HSTSHosts()
    hosts.set("a.test", until: .latest)
    let secret = try #require(HTTPField.Name("X-Secret"))
    var redirect = Redirect()
    redirect.carriedFields = [secret]
    redirect.followsDowngrade = false
    let places = ["/same": "https://a.test/end", "/path": "end", "/down": "http://b.test/end"]
    let transport = RecordingTransport(
      StubTransport { asked in places[asked.request.url.path()].map { .redirect(to: $0) } ?? .text("end") })
    let loader = Loader(transport, chain: InterceptorChain(redirect: redirect, hsts: HSTS(hosts)))
    func load(_ url: String) async throws {
      var request = try Request(.get, url)
      request.headerFields = [.authorization: "Bearer T", secret: "s"]
      _ = try await loader.data(for: request, upTo: 10, in: Exchange(Fixture.settings(clock: clock)))
    }
    for path in ["same", "path"] {
      try await load("http://a.test/" + path)
      #expect(transport.requests.last?.url.absoluteString == "https://a.test/end")
      #expect(transport.requests.last?.headerFields[.authorization] == "Bearer T")
    }
    let error = await #expect(throws: NetworkError.self) { try await load("http://a.test/down") }
    #expect(error?.kind == .invalidRedirect)
    #expect(transport.requests.count == 5 && transport.requests.allSatisfy { $0.url.scheme == "https" })
  }

  @Test func `a stored response does not renew a policy`() async throws {
    let hosts = HSTSHosts()
    let caching = Caching(MemoryCacheStore(capacity: 1 << 20))
    let transport = StubTransport { _ in
      StubAnswer(.ok, headerFields: [.cacheControl: "max-age=1000", .strictTransportSecurity: "max-age=10"])
    }
    let loader = Loader(transport, chain: InterceptorChain(hsts: HSTS(hosts), caching: caching))
    for _ in 0..<2 {
      let request = try Request(.get, "https://a.test/")
      _ = try await loader.data(for: request, upTo: 10, in: Exchange(Fixture.settings(clock: clock)))
      clock.advance(by: .seconds(8))
    }
    #expect(transport.requestCount == 1)
    #expect(!hosts.contains("a.test", at: HTTPDate(clock.date)))
  }

  @Test func `cookies and credentials see the secure request`() async throws {
    let jar = MemoryCookieJar()
    let hosts = HSTSHosts()
    hosts.set("a.test", until: .latest)
    let tokens = try TokenSource(for: ["https://a.test"], token: BearerToken("t")) { _ in BearerToken("t") }
    let transport = RecordingTransport(
      StubTransport(StubAnswer(.ok, headerFields: [.setCookie: "a=1; Secure"])))
    let chain = InterceptorChain(
      hsts: HSTS(hosts), cookies: Cookies(jar), authentication: Authentication(tokens: [tokens]))
    for _ in 0..<2 {
      _ = try await Loader(transport, chain: chain).data(for: Request(.get, "http://a.test/"), upTo: 10)
    }
    #expect(transport.requests.map { $0.headerFields[.cookie] } == [nil, "a=1"])
    #expect(transport.requests.map { $0.headerFields[.authorization] } == ["Bearer t", "Bearer t"])
  }

  @Test func `beyond its limit the list drops the policy that ends first`() {
    let hosts = HSTSHosts()
    for number in 0...HSTSHosts.limit {
      hosts.set("h\(number).test", until: HTTPDate(secondsSince1970: 2_000_000_000 - Int64(number)))
    }
    let now = HTTPDate(secondsSince1970: 1_000_000_000)
    #expect(!hosts.contains("h\(HSTSHosts.limit).test", at: now))
    #expect(hosts.contains("h0.test", at: now))
  }
}
