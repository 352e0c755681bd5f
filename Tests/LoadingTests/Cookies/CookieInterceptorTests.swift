import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Answers from memory, as a cache would.
private struct Answering: Interceptor {
  func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    let head = ResponseHead(url: request.url, status: .ok, headerFields: [.setCookie: "stored=1"])
    return Response(head: head, body: ResponseBody(Data()))
  }
}

/// Adds two cookies as apps do, and tells which there were.
private struct Adding: Interceptor {
  let seen: Collected<[String]>

  init(_ seen: Collected<[String]>) { self.seen = seen }

  func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    seen.append(request.headerFields[values: .cookie])
    var request = request
    request.headerFields[.cookie] = (request.headerFields[.cookie] ?? "") + "; c=3; d=4"
    return try await next(request, in: exchange)
  }
}

@Suite(.timeLimit(.minutes(10))) struct CookieInterceptorTests {
  private let jar = MemoryCookieJar()

  @Test func `what one response sets goes with the next request, redirects included`() async throws {
    let stub = Redirecting(
      [
        "http://a.test/1": .redirect(to: "/2", [.setCookie: "a=b; Path=/"]),
        "http://a.test/2": .redirect(to: "http://b.test/3", [.setCookie: "c=d"]),
      ],
      cookies: Cookies(jar))
    try await stub.load("http://a.test/1")
    try await stub.load("http://a.test/4")
    #expect(stub.recording.requests.map { $0.headerFields[.cookie] } == [nil, "a=b", nil, "a=b; c=d"])
  }

  @Test func `several cookies of one response are stored, and sent in one field`() async throws {
    var answer = StubAnswer.text("")
    answer.headerFields.append(HTTPField(name: .setCookie, value: "a=1"))
    answer.headerFields.append(HTTPField(name: .setCookie, value: "b=2, c=3; Path=/"))
    let stub = Redirecting(["http://a.test/": answer], cookies: Cookies(jar))
    try await stub.load("http://a.test/")
    try await stub.load("http://a.test/")
    #expect(stub.recording.requests[1].headerFields[values: .cookie] == ["a=1; b=2, c=3"])
  }

  @Test func `a cookie of the app's own stays, beside the jar's others`() async throws {
    jar.store(["a=jar", "b=jar"], from: CookieContext(url: Fixture.url, date: Date()))
    let stub = Redirecting([:], cookies: Cookies(jar))
    try await stub.load(Fixture.url.absoluteString) { $0.headerFields[.cookie] = "a=app; x" }
    #expect(stub.recording.requests[0].headerFields[values: .cookie] == ["a=app; x; b=jar"])
  }

  @Test func `the app's cookies are sent in one field also without a jar`() async throws {
    let recording = RecordingTransport(StubTransport(.text("")))
    var request = Fixture.request()
    request.headerFields = [.accept: "a/b", .userAgent: "me"]
    request.headerFields[.cookie] = "a=1; b=2"
    // The setter has made two.
    #expect(request.headerFields[values: .cookie].count == 2)
    let seen = Collected<[String]>()
    _ = try await Loader(recording, interceptors: [Adding(seen)]).load(request)
    // What signs a request sees what is sent, and what an interceptor adds is joined, too.
    #expect(seen.all == [["a=1; b=2"]])
    #expect(recording.requests[0].headerFields[values: .cookie] == ["a=1; b=2; c=3; d=4"])
    #expect(recording.requests[0].headerFields.count == 3)
  }

  @Test(arguments: [false, true]) func `cookies need not be UTF-8`(hasJar: Bool) async throws {
    jar.store(["c=d"], from: CookieContext(url: Fixture.url, date: Date()))
    let stub = Redirecting([:], cookies: hasJar ? Cookies(jar) : nil)
    try await stub.load(Fixture.url.absoluteString) { request in
      for byte in [0xE4, 0xFC] as [UInt8] {
        request.headerFields.append(HTTPField(name: .cookie, value: [0x61, 0x3D, byte]))
      }
    }
    let field = try #require(stub.recording.requests[0].headerFields.first { $0.name == .cookie })
    let bytes = field.withUnsafeBytesOfValue { [UInt8]($0) }
    #expect(bytes == [0x61, 0x3D, 0xE4, 0x3B, 0x20, 0x61, 0x3D, 0xFC] + (hasJar ? [UInt8]("; c=d".utf8) : []))
  }

  @Test func `a request can go without cookies`() async throws {
    jar.store(["a=b"], from: CookieContext(url: Fixture.url, date: Date()))
    let stub = Redirecting(
      [Fixture.url.absoluteString: StubAnswer(headerFields: [.setCookie: "c=d"])], cookies: Cookies(jar))
    try await stub.load(Fixture.url.absoluteString) { $0.options.handlesCookies = false }
    #expect(stub.recording.requests[0].headerFields[.cookie] == nil)
    #expect(jar.all.map(\.name) == ["a"])
  }

  @Test func `only what came from the network, and from the origin, sets cookies`() async throws {
    let chain = InterceptorChain(cookies: Cookies(jar), caching: Answering())
    let response = try await Loader(StubTransport(.text("")), chain: chain).load(Fixture.request())
    #expect(response.head.headerFields[.setCookie] == "stored=1")
    #expect(jar.all.isEmpty)
    let proxy = StubTransport(StubAnswer(.proxyAuthenticationRequired, headerFields: [.setCookie: "proxy=1"]))
    _ = try await Loader(proxy, chain: InterceptorChain(cookies: Cookies(jar))).load(Fixture.request())
    #expect(jar.all.isEmpty)
  }

  @Test func `bytes of a value come back as they were, and what is not UTF-8 is not stored`() async throws {
    var answer = StubAnswer.text("")
    answer.headerFields.append(HTTPField(name: .setCookie, value: "a=ü"))
    answer.headerFields.append(HTTPField(name: .setCookie, lenientValue: [0x62, 0x3D, 0xFC]))
    let stub = Redirecting(["http://a.test/": answer], cookies: Cookies(jar))
    try await stub.load("http://a.test/")
    try await stub.load("http://a.test/")
    #expect(stub.recording.requests[1].headerFields[.cookie] == "a=ü")
  }

  @Test func `a site cannot make the client post to another in the user's name`() async throws {
    jar.store(["session=1"], from: CookieContext(url: try #require(URL(string: "http://b.test/")), date: Date()))
    let stub = Redirecting(["http://a.test/1": .redirect(307, to: "http://b.test/pay")], cookies: Cookies(jar))
    try await stub.load("http://a.test/1") { $0.method = .post }
    try await stub.load("http://b.test/pay") { $0.method = .post }
    #expect(stub.recording.requests.map { $0.headerFields[.cookie] } == [nil, nil, "session=1"])
  }
}
