import CurlewCore
import CurlewJSON
import CurlewLoading
import CurlewRequests
import CurlewSerialization
import CurlewSession
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct PageTests {
  /// A server with pages: each request's URL leads to the value of its `Link` field.
  private func transport(_ links: [String: String], redirects: [String: String] = [:]) -> RecordingTransport {
    RecordingTransport(
      StubTransport { asked in
        let url = asked.request.url.absoluteString
        if let place = redirects[url] { return StubAnswer(.found, headerFields: [.location: place], body: []) }
        var answer = StubAnswer.json("\"\(url)\"")
        if let link = links[url], let name = HTTPField.Name("Link") { answer.headerFields[name] = link }
        return answer
      })
  }

  private func urls(_ recording: RecordingTransport) -> [String] { recording.requests.map(\.url.absoluteString) }

  @Test func `pages follow the links with the relation next, one request each`() async throws {
    let recording = transport([
      "https://birds.test/v1/birds?per_page=2": "<?cursor=b>; rel=\"next\", <?cursor=z>; rel=\"last\"",
      "https://birds.test/v1/birds?cursor=b": "</v1/birds?cursor=c>; rel=next",
    ])
    let session = try HTTPSession.birds(recording)
    var values: [String] = []
    for try await page in session.pages("birds", as: String.self, parameters: ["per_page": 2]) {
      // A page is requested when it is asked for.
      #expect(recording.requests.count == values.count + 1)
      values.append(page.value)
      #expect(page.head.status == .ok && page.metrics.count == 1)
    }
    let expected = ["birds?per_page=2", "birds?cursor=b", "birds?cursor=c"].map { "https://birds.test/v1/" + $0 }
    #expect(values == expected && urls(recording) == expected)
    #expect(recording.requests.allSatisfy { $0.headerFields[.accept] == "application/json" })
  }

  @Test func `the app's own rule reads the next page from the value`() async throws {
    let recording = transport(["https://birds.test/v1/birds": "<no>; rel=next"])
    let session = try HTTPSession.birds(recording)
    let pages = session.pages("birds", .string) { $0.value.contains("page=2") ? nil : "?page=2" }
    var count = 0
    for try await _ in pages { count += 1 }
    #expect(count == 2 && urls(recording).last == "https://birds.test/v1/birds?page=2")
    // Each iterator begins at the first page.
    var again = pages.makeAsyncIterator()
    #expect(try await again.next()?.value == "\"https://birds.test/v1/birds\"")
  }

  @Test func `a link to another origin takes no secrets along, and one back does`() async throws {
    let hasIdentity = Guarded<[Bool]>([])
    let recording = RecordingTransport(
      StubTransport(capabilities: StubTransport.defaultCapabilities.union(.clientIdentity)) { asked in
        hasIdentity.withLock { $0.append(asked.exchange.settings.clientIdentity != nil) }
        var answer = StubAnswer.json("\"\"")
        let links = ["<https://other.test/birds>; rel=next", "<https://birds.test/v1/end>; rel=next"]
        if let name = HTTPField.Name("Link"), asked.index < 2 { answer.headerFields[name] = links[asked.index] }
        return answer
      })
    let token = try #require(HTTPField.Name("X-Team"))
    let session = try HTTPSession.birds(recording) {
      $0.headerFields[.authorization] = "Bearer s3cret"
      $0.chain.perHop = [SettingInterceptor()]
      $0.settings.clientIdentity = ClientIdentity(certificateChain: Data(), privateKey: Data())
    }
    for try await _ in session.pages("birds", as: String.self, headerFields: [token: "s3cret", .acceptLanguage: "en"]) {
    }
    let fields = recording.requests.map(\.headerFields)
    try #require(fields.count == 3)
    for place in [0, 2] {
      #expect(fields[place][.authorization] == "Bearer s3cret" && fields[place][token] == "s3cret")
      #expect(fields[place][.cookie] == "id=s3cret")
    }
    #expect(!"\(fields[1])".contains("s3cret") && fields[1][.acceptLanguage] == "en")
    #expect(hasIdentity.withLock { $0 } == [true, false, true])
  }

  @Test func `a session without a base URL takes no secrets to another origin either`() async throws {
    let recording = transport(["https://birds.test/birds": "<https://other.test/birds>; rel=next"])
    let session = HTTPSession(recording) { $0.headerFields[.authorization] = "Bearer s3cret" }
    for try await _ in session.pages("https://birds.test/birds", .string) {}
    #expect(recording.requests.map { $0.headerFields[.authorization] } == ["Bearer s3cret", nil])
  }

  @Test func `a link is relative to where a redirect led, and the first origin keeps the secrets`() async throws {
    let recording = transport(
      ["https://other.test/a/birds": "<c>; rel=next"],
      redirects: ["https://birds.test/v1/birds": "https://other.test/a/birds"])
    let session = try HTTPSession.birds(recording) {
      $0.chain.redirect = Redirect()
      $0.headerFields[.authorization] = "Bearer s3cret"
    }
    for try await _ in session.pages("birds", .string) {}
    #expect(urls(recording).last == "https://other.test/a/c")
    #expect(recording.requests.map { $0.headerFields[.authorization] } == ["Bearer s3cret", nil, nil])
  }

  @Test func `pages that were requested over TLS keep their secrets there, and take none back`() async throws {
    let recording = transport([
      "https://birds.test/birds": "<https://birds.test/b>; rel=next",
      "https://birds.test/b": "<http://other.test/c>; rel=next",
    ])
    let hosts = HSTSHosts()
    hosts.set("birds.test", until: .latest)
    let token = try #require(HTTPField.Name("X-Team"))
    let session = HTTPSession(recording) {
      var redirect = Redirect()
      redirect.carriedFields = [token]
      $0.chain.redirect = redirect
      $0.chain.hsts = HSTS(hosts)
    }
    for try await _ in session.pages("http://birds.test/birds", .string, headerFields: [token: "s3cret"]) {}
    #expect(urls(recording) == ["https://birds.test/birds", "https://birds.test/b", "http://other.test/c"])
    #expect(recording.requests.map { $0.headerFields[token] } == ["s3cret", "s3cret", nil])
  }

  @Test func `a step from https to http is refused where redirects refuse it`() async throws {
    let recording = transport(["https://birds.test/v1/birds": "<http://birds.test/v1/c>; rel=next"])
    let session = try HTTPSession.birds(recording) {
      var redirect = Redirect()
      redirect.followsDowngrade = false
      $0.chain.redirect = redirect
    }
    let error = await #expect(throws: NetworkError.self) { for try await _ in session.pages("birds", .string) {} }
    #expect(error?.kind == .invalidRedirect && recording.requests.count == 1)
  }

  @Test(arguments: [
    ("<?page=1>; rel=next", NetworkError.Kind.tooManyRedirects, "circle"),
    ("<ftp://birds.test/>; rel=next", .invalidRedirect, "next page"),
    ("<https://user@other.test/>; rel=next", .invalidRedirect, "next page"),
  ])
  func `a link that cannot be followed is an error after its page`(
    link: String, kind: NetworkError.Kind, words: String
  ) async throws {
    let session = try HTTPSession.birds(transport(["https://birds.test/v1/birds?page=1": link]))
    var pages = session.pages("birds?page=1", .string).makeAsyncIterator()
    #expect(try await pages.next()?.value == "\"https://birds.test/v1/birds?page=1\"")
    let error = await #expect(throws: NetworkError.self) { try await pages.next() }
    #expect(error?.kind == kind && error?.message.contains(words) == true && error?.details.response?.status == .ok)
    #expect(try await pages.next() == nil)
  }

  @Test func `more pages than the limit are an error, and as many are not`() async throws {
    let session = try HTTPSession.birds(
      StubTransport { asked in
        let page = asked.index + 2
        guard let name = HTTPField.Name("Link"), page < 5 else { return .json("1") }
        var answer = StubAnswer.json("1")
        answer.headerFields[name] = "<?page=\(page)>; rel=next"
        return answer
      })
    var count = 0
    for try await _ in session.pages("birds", as: Int.self, limit: 4) { count += 1 }
    #expect(count == 4)
  }

  @Test func `a list with more pages than the limit does not end unnoticed`() async throws {
    let session = try HTTPSession.birds(
      StubTransport { asked in
        guard let name = HTTPField.Name("Link") else { return .json("1") }
        var answer = StubAnswer.json("1")
        answer.headerFields[name] = "<?page=\(asked.index + 2)>; rel=next"
        return answer
      })
    var count = 0
    let error = await #expect(throws: NetworkError.self) {
      for try await _ in session.pages("birds", as: Int.self, limit: 3) { count += 1 }
    }
    #expect(error?.kind == .tooManyRedirects && error?.message.contains("3 pages") == true)
    #expect(count == 3)
  }

  @Test func `a session without a format for values fails at the first page`() async throws {
    let session = HTTPSession(StubTransport(.text("1")))
    let error = await #expect(throws: NetworkError.self) {
      for try await _ in session.pages("https://birds.test/", as: Int.self) {}
    }
    #expect(error?.kind == .unsupported)
  }

  @Test func `each page is retried as a call is`() async throws {
    let stub = StubTransport { asked in
      if asked.index == 1 { return StubAnswer(.serviceUnavailable, headerFields: [:], body: []) }
      var answer = StubAnswer.json("1")
      if asked.index == 0, let name = HTTPField.Name("Link") { answer.headerFields[name] = "<?page=2>; rel=next" }
      return answer
    }
    var policy = RetryPolicy(limit: 1)
    policy.delay = .fixed(.zero)
    let session = try HTTPSession.birds(stub).with { $0.retry = policy }
    var count = 0
    for try await _ in session.pages("birds", as: Int.self) { count += 1 }
    #expect(count == 2 && stub.requestCount == 3)
  }
}

/// Sets a cookie for each hop, as a per-hop interceptor of an app does.
private struct SettingInterceptor: Interceptor {
  func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    var request = request
    request.headerFields[.cookie] = "id=s3cret"
    return try await next(request, in: exchange)
  }
}
