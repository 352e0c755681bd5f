import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct RedirectLimitTests {
  /// Redirects from /1 to /2 and so on up to /count.
  private func staircase(_ count: Int) -> [String: StubAnswer] {
    Dictionary(
      uniqueKeysWithValues: (1..<count).map { ("http://a.test/\($0)", StubAnswer.redirect(to: "/\($0 + 1)")) })
  }

  @Test func `twenty redirects are followed and the next is an error`() async throws {
    #expect(try await Redirecting(staircase(21)).load("http://a.test/1").head.url.path == "/21")
    let stub = Redirecting(staircase(22))
    #expect(await Fixture.kind { try await stub.load("http://a.test/1") } == .tooManyRedirects)
    #expect(stub.recording.requests.count == 21)
  }

  @Test func `a request can have a limit of its own, and none makes the 3xx the response`() async throws {
    let stub = Redirecting(staircase(9))
    #expect(
      await Fixture.kind { try await stub.load("http://a.test/1") { $0.options.redirectLimit = 7 } }
        == .tooManyRedirects)
    #expect(try await stub.load("http://a.test/1") { $0.options.redirectLimit = 8 }.head.status == .ok)
    let response = try await stub.load("http://a.test/1") { $0.options.redirectLimit = 0 }
    #expect(response.head.status == .found)
    #expect(response.head.url.path == "/1")
  }

  @Test func `a circle is an error before the limit`() async throws {
    let stub = Redirecting(["http://a.test/1": .redirect(to: "/2"), "http://a.test/2": .redirect(to: "/1")])
    #expect(await Fixture.kind { try await stub.load("http://a.test/1") } == .tooManyRedirects)
    #expect(stub.urls == ["http://a.test/1", "http://a.test/2"])
  }

  @Test func `the error of a circle names its URLs, without their queries`() async throws {
    let stub = Redirecting([
      "http://a.test/0": .redirect(to: "/1?key=secret"), "http://a.test/1?key=secret": .redirect(to: "http://b.test/2"),
      "http://b.test/2": .redirect(to: "http://a.test/1?key=secret"),
    ])
    let error = await #expect(throws: NetworkError.self) { try await stub.load("http://a.test/0") }
    #expect(
      error?.message
        == "The server redirects in a circle: http://a.test/1 → http://b.test/2 → http://a.test/1.")
    let long = Redirecting(
      Dictionary(uniqueKeysWithValues: (0..<9).map { ("http://a.test/\($0)", .redirect(to: "/\(($0 + 1) % 9)")) }))
    let shortened = await #expect(throws: NetworkError.self) { try await long.load("http://a.test/0") }
    #expect(shortened?.message.hasSuffix("http://a.test/3 → … → http://a.test/0.") == true)
  }

  @Test func `a redirect to itself is no circle when it sets a cookie, and ends at the limit`() async throws {
    let jar = MemoryCookieJar()
    let gate = StubTransport { asked in
      asked.request.headerFields[.cookie] == "in=1"
        ? .text("welcome") : .redirect(to: "/", [.setCookie: "in=1"])
    }
    let chain = InterceptorChain(redirect: Redirect(), cookies: Cookies(jar))
    let response = try await Loader(gate, chain: chain).load(Request(.get, "http://a.test/"))
    #expect(response.head.status == .ok)

    let stub = Redirecting(["http://a.test/": .redirect(to: "/", [.setCookie: "in=1"])])
    #expect(await Fixture.kind { try await stub.load("http://a.test/") } == .tooManyRedirects)
    #expect(stub.recording.requests.count == 21)
  }

  @Test func `a form that becomes a page at the same place is no circle`() async throws {
    let stub = StubTransport { asked in asked.request.method == .post ? .redirect(303, to: "/") : .text("done") }
    let loader = Loader(stub, chain: InterceptorChain(redirect: Redirect()))
    #expect(try await loader.load(Request(.post, "http://a.test/")).head.status == .ok)
  }

  @Test func `the time for an attempt is for all of its hops`() async throws {
    let clock = ManualClock()
    let totals = Collected<Duration?>()
    let stub = StubTransport { asked in
      totals.append(asked.request.options.timeouts.total)
      clock.advance(by: .seconds(4))
      return .redirect(to: "/\(asked.index)")
    }
    var request = try Request(.get, "http://a.test/x")
    request.options.timeouts.total = .seconds(10)
    let loader = Loader(stub, chain: InterceptorChain(redirect: Redirect()))
    let exchange = Exchange(Fixture.settings(clock: clock))
    #expect(await Fixture.kind { _ = try await loader.load(request, in: exchange) } == .timedOut)
    #expect(totals.all == [.seconds(10), .seconds(6), .seconds(2)])
  }
}
