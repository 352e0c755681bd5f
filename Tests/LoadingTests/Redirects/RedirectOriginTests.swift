import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Sets a field on every hop.
private struct Setting: Interceptor {
  let name: HTTPField.Name
  let value: String

  func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    var request = request
    request.headerFields[name] = value
    return try await next(request, in: exchange)
  }
}

@Suite(.timeLimit(.minutes(10))) struct RedirectOriginTests {
  private static let there = [
    "https://a.test/1": StubAnswer.redirect(to: "https://b.test/2"),
    "https://b.test/2": .redirect(to: "https://a.test/3"),
  ]

  @Test func `what was stripped stays away when the way leads back`() async throws {
    let stub = Redirecting(Self.there)
    try await stub.load("https://a.test/1") { $0.headerFields[.authorization] = "Bearer one" }
    #expect(stub.recording.requests.map { $0.headerFields[.authorization] } == ["Bearer one", nil, nil])
  }

  @Test func `a per-hop interceptor cannot set what a redirect stripped`() async throws {
    let stub = Redirecting(Self.there, perHop: [Setting(name: .authorization, value: "Bearer two")])
    try await stub.load("https://a.test/1")
    #expect(stub.recording.requests.map { $0.headerFields[.authorization] } == ["Bearer two", nil, nil])
  }

  @Test func `a per-hop interceptor may set what is no credential`() async throws {
    let stub = Redirecting(Self.there, perHop: [Setting(name: .accept, value: "text/x")])
    try await stub.load("https://a.test/1")
    #expect(stub.recording.requests.map { $0.headerFields[.accept] } == ["text/x", "text/x", "text/x"])
  }

  @Test func `credentials of one origin's redirects to itself are kept`() async throws {
    let stub = Redirecting(
      ["https://a.test/1": .redirect(to: "/2")], perHop: [Setting(name: .authorization, value: "Bearer two")])
    try await stub.load("https://a.test/1")
    #expect(stub.recording.requests.map { $0.headerFields[.authorization] } == ["Bearer two", "Bearer two"])
  }

  @Test func `what is carried by name goes to other origins, and never from https to http`() async throws {
    var redirect = Redirect()
    redirect.carriedFields = [.authorization]
    let stub = Redirecting(
      ["https://a.test/1": .redirect(to: "https://b.test/2"), "https://b.test/2": .redirect(to: "http://b.test/3")],
      redirect: redirect)
    try await stub.load("https://a.test/1") { request in
      request.headerFields[.authorization] = "Bearer one"
      request.headerFields[.cookie] = "a=b"
    }
    let sent = stub.recording.requests
    #expect(sent.map { $0.headerFields[.authorization] } == ["Bearer one", "Bearer one", nil])
    #expect(sent.map { $0.headerFields[.cookie] } == ["a=b", nil, nil])
  }

  @Test(arguments: [
    "Private-Token", "X-Vault-Token", "X-Goog-Api-Key", "Ocp-Apim-Subscription-Key", "DPoP", "X-CSRF-Token", "Cookie2",
    "X-Nobody-Has-Heard-Of-It",
  ])
  func `a field that is not known to be harmless stays with the origin it was set for`(field: String) async throws {
    let name = try #require(HTTPField.Name(field))
    let stub = Redirecting(Self.there)
    try await stub.load("https://a.test/1") { request in
      request.headerFields[name] = "secret"
      request.headerFields[.accept] = "text/x"
      request.headerFields[.userAgent] = "test"
    }
    let sent = stub.recording.requests
    #expect(sent.map { $0.headerFields[name] } == ["secret", nil, nil])
    #expect(sent.allSatisfy { $0.headerFields[.accept] == "text/x" && $0.headerFields[.userAgent] == "test" })
    for other in ["https://a.test:444/2", "http://a.test/2", "https://www.a.test/2"] {
      let stub = Redirecting(["https://a.test/1": .redirect(to: other)])
      try await stub.load("https://a.test/1") { $0.headerFields[name] = "secret" }
      #expect(stub.recording.requests.map { $0.headerFields[name] } == ["secret", nil], "\(other)")
    }
    let same = Redirecting(["https://a.test/1": .redirect(to: "https://A.test:443/2")])
    try await same.load("https://a.test/1") { $0.headerFields[name] = "secret" }
    #expect(same.recording.requests.map { $0.headerFields[name] } == ["secret", "secret"])
  }

  @Test func `where a stream of events goes on is known to the server that it was moved to`() async throws {
    let name = try #require(HTTPField.Name("Last-Event-ID"))
    let stub = Redirecting(Self.there)
    try await stub.load("https://a.test/1") { $0.headerFields[name] = "3" }
    #expect(stub.recording.requests.map { $0.headerFields[name] } == ["3", "3", "3"])
  }

  @Test func `a field of the app's own goes along where it is named, or called harmless`() async throws {
    let trace = try #require(HTTPField.Name("X-Trace"))
    let plan = try #require(HTTPField.Name("X-Plan"))
    var redirect = Redirect()
    redirect.harmlessFields.insert(trace)
    redirect.carriedFields.insert(plan)
    let stub = Redirecting(
      ["https://a.test/1": .redirect(to: "https://b.test/2"), "https://b.test/2": .redirect(to: "http://b.test/3")],
      redirect: redirect)
    try await stub.load("https://a.test/1") { request in
      request.headerFields[trace] = "1"
      request.headerFields[plan] = "2"
    }
    #expect(stub.recording.requests.map { $0.headerFields[trace] } == ["1", "1", "1"])
    #expect(stub.recording.requests.map { $0.headerFields[plan] } == ["2", "2", nil])
  }

  @Test func `what was taken off a request, an interceptor for each hop cannot put back`() async throws {
    let name = try #require(HTTPField.Name("X-Vault-Token"))
    let stub = Redirecting(Self.there, perHop: [Setting(name: name, value: "mine")])
    try await stub.load("https://a.test/1") { $0.headerFields[name] = "yours" }
    #expect(stub.recording.requests.map { $0.headerFields[name] } == ["mine", nil, nil])
  }

  @Test func `a redirect hook may set a field for the other origin by name`() async throws {
    let name = try #require(HTTPField.Name("X-Vault-Token"))
    var hooks = ExchangeHooks()
    hooks.redirect = { proposed, head in
      guard head != nil else { return proposed }
      var answer = proposed
      answer.headerFields[name] = "for you"
      return answer
    }
    let stub = Redirecting(["https://a.test/1": .redirect(to: "https://b.test/2")])
    try await stub.load("https://a.test/1", { $0.headerFields[name] = "for me" }, hooks: hooks)
    #expect(stub.recording.requests.map { $0.headerFields[name] } == ["for me", "for you"])
  }

  @Test func `custom credentials are named by the app, or by its redaction`() async throws {
    let token = try #require(HTTPField.Name("X-My-Token"))
    let other = try #require(HTTPField.Name("X-Other-Token"))
    var redirect = Redirect()
    redirect.credentialFields.insert(token)
    let stub = Redirecting(Self.there, redirect: redirect)
    var request = try Request(.get, "https://a.test/1")
    request.headerFields[token] = "1"
    request.headerFields[other] = "2"
    var settings = ExchangeSettings()
    settings.redaction.fields.insert(other)
    _ = try await stub.loader.load(request, in: Exchange(settings))
    #expect(stub.recording.requests.map { $0.headerFields[token] } == ["1", nil, nil])
    #expect(stub.recording.requests.map { $0.headerFields[other] } == ["2", nil, nil])
  }

  @Test func `a client certificate is not shown to another origin`() async throws {
    let seen = Collected<Bool>()
    let stub = StubTransport(capabilities: [StubTransport.defaultCapabilities, .clientIdentity]) { asked in
      seen.append(asked.exchange.settings.clientIdentity != nil)
      return Self.there[asked.request.url.absoluteString] ?? .text("end")
    }
    var settings = ExchangeSettings()
    settings.clientIdentity = ClientIdentity(certificateChain: Data([1]), privateKey: Data([2]))
    let request = try Request(.get, "https://a.test/1")
    _ = try await Loader(stub, chain: InterceptorChain(redirect: Redirect())).load(request, in: Exchange(settings))
    #expect(seen.all == [true, false, false])
  }

  @Test func `a Host and an Origin of the app's go to no other origin`() async throws {
    let host = try #require(HTTPField.Name("Host"))
    let stub = Redirecting([
      "http://a.test/1": .redirect(to: "/2"), "http://a.test/2": .redirect(to: "http://b.test/3"),
    ])
    try await stub.load("http://a.test/1") { request in
      request.headerFields[host] = "inner.test"
      request.headerFields[.origin] = "http://page.test"
    }
    #expect(stub.recording.requests.map { $0.headerFields[host] } == ["inner.test", "inner.test", nil])
    #expect(
      stub.recording.requests.map { $0.headerFields[.origin] } == ["http://page.test", "http://page.test", nil])
  }

  @Test func `a downgrade can be refused`() async throws {
    var redirect = Redirect()
    redirect.followsDowngrade = false
    let stub = Redirecting(["https://a.test/1": .redirect(to: "http://a.test/2")], redirect: redirect)
    #expect(await Fixture.kind { try await stub.load("https://a.test/1") } == .invalidRedirect)
    #expect(stub.recording.requests.count == 1)
  }

  @Test(
    arguments: [
      ("https://a.test/1", "https://a.test/2", nil, "https://page.test/"),
      ("https://page.test/1", "https://page.test/2", nil, "https://page.test/x?y"),
      ("https://page.test/1", "https://b.test/2", nil, "https://page.test/"),
      ("https://page.test/1", "http://page.test/2", nil, nil),
      ("https://page.test/1", "http://b.test/2", "no-referrer, unsafe-url", "https://page.test/x?y"),
      ("https://page.test/1", "https://page.test/2", "no-referrer", nil),
      ("https://page.test/1", "https://b.test/2", "same-origin", nil),
      ("https://page.test/1", "http://b.test/2", "origin, nonsense", "https://page.test/"),
      ("https://page.test/1", "https://page.test/2", "strict-origin", "https://page.test/"),
      ("https://page.test/1", "https://b.test/2", "no-referrer-when-downgrade", "https://page.test/x?y"),
      ("https://page.test/1", "http://b.test/2", "no-referrer-when-downgrade", nil),
      ("https://page.test/1", "http://b.test/2", "origin-when-cross-origin", "https://page.test/"),
    ] as [(String, String, String?, String?)])
  func `a Referer tells the next hop what its policy allows`(
    from: String, to: String, policy: String?, expected: String?
  ) async throws {
    var fields = HTTPFields()
    if let policy, let name = HTTPField.Name("Referrer-Policy") { fields[name] = policy }
    let stub = Redirecting([from: .redirect(to: to, fields)])
    try await stub.load(from) { $0.headerFields[.referer] = "https://page.test/x?y" }
    #expect(stub.recording.requests.last?.headerFields[.referer] == expected)
  }
}
