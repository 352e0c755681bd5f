import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSecurity

/// Bearer tokens over a loader: one refresh, whoever needs it.
@Suite struct TokenSourceTests {
  private static func origin() throws -> Origin { try Origin(scheme: .https, host: "api.example") }

  private final class Counter: Sendable {
    private let value = Guarded(0)
    var count: Int { value.withLock { $0 } }

    @discardableResult
    func next() -> Int {
      value.withLock { value in
        value += 1
        return value
      }
    }
  }

  /// Accepts one token.
  private final class Service: Sendable {
    let token = Guarded("new")
    let challenges: Bool
    init(challenges: Bool = true) { self.challenges = challenges }

    func transport() -> RecordingTransport {
      RecordingTransport(
        StubTransport { [self] asked in
          if asked.request.headerFields[.authorization] == "Bearer \(token.withLock { $0 })" { return .text("welcome") }
          return challenges
            ? .challenge("Bearer realm=\"api\", error=\"invalid_token\"") : .text("who?", status: .unauthorized)
        })
    }
  }

  @Test func `the origins can be given as URLs, whose paths do not matter`() throws {
    let source = try TokenSource(for: ["https://API.example/v1/", "http://localhost:8080"]) { _ in BearerToken("t") }
    #expect(
      source.origins == [
        try Origin(scheme: .https, host: "api.example"), try Origin(scheme: .http, host: "localhost", port: 8080),
      ])
    for (text, part) in [
      ("api.example/v1?key=secret", "api.example/v1: The URL has no scheme"),
      ("https://u:secret@api.example/", "contains a user name or password"), ("a b", "contains a space"),
    ] {
      let error = #expect(throws: NetworkError.self) { try TokenSource(for: [text]) { _ in BearerToken("t") } }
      #expect(error?.kind == .invalidURL && error?.message.contains(part) == true, "\(error?.message ?? "")")
      #expect(error?.description.contains("secret") == false)
    }
  }

  @Test(arguments: [true, false])
  func `fifty requests that meet an ended token cause one refresh`(challenges: Bool) async throws {
    let refreshes = Counter()
    let gate = ManualGate()
    let service = Service(challenges: challenges)
    let transport = service.transport()
    let source = TokenSource(for: [try Self.origin()], token: BearerToken("old")) { last in
      #expect(last?.value == "old")
      refreshes.next()
      try await gate.wait()
      return BearerToken("new")
    }
    let loader = Loader(transport, interceptors: [Authentication(tokens: [source])])
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for index in 0..<50 {
        group.addTask { try await App().load("https://api.example/\(index)", loader).status }
      }
      group.addTask {
        // All have been refused, or wait before they were sent.
        try await gate.waitForArrivals()
        while transport.requests.count < 50 { await Task.yield() }
        gate.open()
        return 200
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.count == 51 && statuses.allSatisfy { $0 == 200 })
    #expect(refreshes.count == 1)
    #expect(transport.requests.count == 100)
  }

  @Test func `the first request waits for the first token, and other origins get none`() async throws {
    let transport = Service().transport()
    let source = TokenSource(for: [try Self.origin()]) { _ in BearerToken("new") }
    let loader = Loader(transport, interceptors: [Authentication(tokens: [source])])
    #expect(try await App().load("https://api.example/", loader).status == 200)
    for url in ["http://api.example/", "https://api.example:444/", "https://x.api.example/"] {
      #expect(try await App().load(url, loader).status == 401)
    }
    #expect(transport.requests.map { $0.headerFields[.authorization] } == ["Bearer new", nil, nil, nil])
  }

  @Test func `a failed refresh fails all who wait once, and no more`() async throws {
    struct Down: Error {}
    let refreshes = Counter()
    let gate = ManualGate()
    let service = Service()
    let source = TokenSource(for: [try Self.origin()]) { _ in
      guard refreshes.next() == 1 else { return BearerToken("new") }
      try await gate.wait()
      throw Down()
    }
    let transport = service.transport()
    let loader = Loader(transport, interceptors: [Authentication(tokens: [source])])
    let tasks = (0..<10).map { _ in Task { try await App().load("https://api.example/", loader) } }
    try await gate.waitForArrivals()
    while source.waiterCount < 10 { await Task.yield() }
    gate.open()
    for task in tasks {
      let error = await #expect(throws: NetworkError.self) { try await task.value }
      #expect(error?.kind == .authenticationFailed)
      #expect(error?.details.underlying is Down)
      #expect(error?.message == "The bearer token could not be renewed: Down.")
    }
    #expect(transport.requests.isEmpty)
    #expect(try await App().load("https://api.example/", loader).status == 200)
    #expect(refreshes.count == 2)
  }

  @Test func `a cancelled request stops waiting and leaves the others their token`() async throws {
    let gate = ManualGate()
    let source = TokenSource(for: [try Self.origin()]) { _ in
      try await gate.wait()
      return BearerToken("new")
    }
    let loader = Loader(Service().transport(), interceptors: [Authentication(tokens: [source])])
    let first = Task { try await App().load("https://api.example/", loader).status }
    try await gate.waitForArrivals()
    let second = Task { try await App().load("https://api.example/", loader).status }
    while source.waiterCount < 2 { await Task.yield() }
    // The one that started the refresh.
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    gate.open()
    #expect(try await second.value == 200)
  }

  @Test func `the refresh's own requests are left alone, through the same loader too`() async throws {
    let transport = RecordingTransport(
      StubTransport { asked in
        if asked.request.url.path == "/token" { return .text("fetched") }
        return asked.request.headerFields[.authorization] == "Bearer fetched" ? .text("welcome") : .challenge("Bearer")
      })
    let loader = Guarded<Loader?>(nil)
    let source = TokenSource(for: [try Self.origin()]) { _ in
      let own = try #require(loader.withLock { $0 })
      // In a child task as well as in its own.
      async let text = App().load("https://api.example/token", own).text
      return BearerToken(try await text)
    }
    let whole = Loader(transport, interceptors: [Authentication(tokens: [source])])
    loader.withLock { $0 = whole }
    #expect(try await App().load("https://api.example/", whole).status == 200)
    #expect(transport.requests.map { $0.headerFields[.authorization] } == [nil, "Bearer fetched"])
  }

  @Test func `a token that is refused again after its renewal leaves the 401`() async throws {
    let refreshes = Counter()
    let source = TokenSource(for: [try Self.origin()], token: BearerToken("old")) { _ in
      BearerToken("bad\(refreshes.next())")
    }
    let loader = Loader(Service().transport(), interceptors: [Authentication(tokens: [source])])
    #expect(try await App().load("https://api.example/", loader).status == 401)
    #expect(refreshes.count == 1)
  }

  @Test func `a token is renewed before it ends, by the clock of the exchange`() async throws {
    let clock = ManualClock(date: Date(timeIntervalSince1970: 1_000))
    let source = TokenSource(
      for: [try Self.origin()], token: BearerToken("old", expires: Date(timeIntervalSince1970: 1_100))
    ) { _ in BearerToken("new") }
    #expect(try await source.token(clock: clock).value == "old")
    clock.advance(by: .seconds(69))
    #expect(try await source.token(clock: clock).value == "old")
    clock.advance(by: .seconds(1))
    #expect(try await source.token(clock: clock).value == "new")
  }

  @Test func `a token that lasts a while is sent although its early renewal fails, and the renewal is tried again`()
    async throws
  {
    struct Down: Error {}
    let refreshes = Counter()
    let clock = ManualClock(date: Date(timeIntervalSince1970: 1_000))
    let service = Service()
    service.token.withLock { $0 = "old" }
    let transport = service.transport()
    let source = TokenSource(
      for: [try Self.origin()], token: BearerToken("old", expires: Date(timeIntervalSince1970: 1_020))
    ) { _ in
      guard refreshes.next() < 3 else { return BearerToken("new") }
      throw Down()
    }
    let loader = Loader(transport, interceptors: [Authentication(tokens: [source])])
    var app = App()
    app.settings.clock = clock
    for count in 1...2 {
      #expect(try await app.load("https://api.example/", loader).status == 200)
      #expect(refreshes.count == count)
    }
    service.token.withLock { $0 = "new" }
    #expect(try await app.load("https://api.example/", loader).status == 200)
    #expect(transport.requests.map { $0.headerFields[.authorization] } == ["Bearer old", "Bearer old", "Bearer new"])
  }

  @Test func `a refresh that fails says what happened to its request, and what to do about that`() async throws {
    let refusal = NetworkError(.unacceptableStatus, stage: .validating, message: "The server answered 404 Not Found.")
      .with { $0.responseBody = Data("{}".utf8) }
    let lost = NetworkError(.nameLookupFailed, stage: .resolving, message: "No address was found.", advice: "Check it.")
    for (cause, advice) in [
      (refusal, "The error of that request is `error.details.underlying`, with its status and body."),
      (lost, "Check it."),
    ] {
      let source = TokenSource(for: [try Self.origin()]) { _ in throw cause }
      let error = await #expect(throws: NetworkError.self) { try await source.token() }
      #expect(error?.message == "The bearer token could not be renewed: \(cause.message)")
      #expect(error?.advice == advice)
    }
  }

  @Test func `signing out fails who waits, and drops what the refresh brings`() async throws {
    let gate = ManualGate()
    let source = TokenSource(for: [try Self.origin()]) { _ in
      try await gate.wait()
      return BearerToken("late")
    }
    let waiting = Task { try await source.token() }
    try await gate.waitForArrivals()
    while source.waiterCount < 1 { await Task.yield() }
    source.set(nil)
    let error = await #expect(throws: NetworkError.self) { try await waiting.value }
    #expect(error?.kind == .authenticationFailed)
    source.set(BearerToken("other"))
    gate.open()
    #expect(try await source.token().value == "other")
  }

  @Test func `a refresh never overlaps another one, also after the app has set a token`() async throws {
    let gate = ManualGate()
    let running = Watched((now: 0, most: 0, count: 0))
    let source = TokenSource(for: [try Self.origin()]) { last in
      running.update { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.count + 1) }
      defer { running.update { $0.now -= 1 } }
      try await gate.wait()
      return BearerToken("after \(last?.value ?? "none")")
    }
    let first = Task { try await source.token() }
    try await gate.waitForArrivals()
    while source.waiterCount < 1 { await Task.yield() }
    source.set(BearerToken("set"))
    #expect(try await first.value.value == "set")
    let second = Task { try await source.token(refused: "set") }
    while source.waiterCount < 1 { await Task.yield() }
    #expect(running.current.count == 1)
    gate.open()
    #expect(try await second.value.value == "after set")
    #expect(running.current.most == 1 && running.current.count == 2)
  }

  @Test func `a token with a line break is refused before it is sent`() async throws {
    let transport = Service().transport()
    let source = TokenSource(for: [try Self.origin()], token: BearerToken("a\r\nX: y")) { _ in BearerToken("") }
    let loader = Loader(transport, interceptors: [Authentication(tokens: [source])])
    let error = await #expect(throws: NetworkError.self) { try await App().load("https://api.example/", loader) }
    #expect(error?.kind == .authenticationFailed)
    #expect(transport.requests.isEmpty)
  }

  @Test func `neither descriptions nor dumps show a token`() {
    let token = BearerToken("s3cret", expires: Date(timeIntervalSince1970: 5))
    var text = "\(token)" + String(reflecting: [token])
    dump(token, to: &text)
    dump(Credential.bearer(token: "s3cret"), to: &text)
    dump(Credential.password(user: "u", password: "s3cret"), to: &text)
    #expect(!text.contains("s3cret"))
  }
}
