import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSecurity

/// What is answered, with what, and what is left as it is.
@Suite struct AuthenticationTests {
  private static let right = Data.basic("wader:secret")

  /// Asks for Basic in a realm below each path's first segment.
  private static func basic(realm: @escaping @Sendable (String) -> String = { _ in "marsh" }) -> StubTransport {
    StubTransport { asked in
      asked.request.headerFields[.authorization] == right
        ? .text("welcome") : .challenge("Basic realm=\"\(realm(asked.request.url.path))\", charset=\"UTF-8\"")
    }
  }

  private func sent(_ transport: RecordingTransport) -> [String?] {
    transport.requests.map { $0.headerFields[.authorization] }
  }

  @Test func `a 401 is answered with what the app says, and later requests below the path are not asked again`()
    async throws
  {
    let transport = RecordingTransport(Self.basic())
    let loader = Loader(transport, interceptors: [Authentication()])
    let app = App(user: "wader", password: "secret")
    #expect(try await app.load("https://a.example/docs/one", loader) == (200, "welcome"))
    #expect(try await app.load("https://a.example/docs/deep/two?q=1", loader) == (200, "welcome"))
    #expect(app.asked.challenges.count == 1)
    let challenge = try #require(app.asked.challenges.first)
    #expect(challenge.protectionSpace.realm == "marsh")
    #expect(challenge.protectionSpace.scheme == "basic")
    #expect(challenge.response?.status == .unauthorized)
    #expect(sent(transport) == [nil, Self.right, Self.right])
  }

  @Test(arguments: [
    "https://a.example/other", "https://a.example/docs/../other", "https://a.example/docs/%2E%2e/other",
    "https://a.example/docs", "http://a.example/docs/", "https://a.example:444/docs/", "https://b.example/docs/",
    "https://sub.a.example/docs/",
  ])
  func `nothing is sent unasked outside of the protection space`(url: String) async throws {
    let transport = RecordingTransport(Self.basic())
    let loader = Loader(transport, interceptors: [Authentication()])
    try await App(user: "wader", password: "secret").load("https://a.example/docs/one", loader)
    #expect(try await App().load(url, loader).status == 401)
    #expect(sent(transport).last == .some(nil))
  }

  @Test func `without a hook and a stored credential the 401 is the response`() async throws {
    let loader = Loader(Self.basic(), interceptors: [Authentication()])
    #expect(try await App().load("https://a.example/", loader) == (401, "who?"))
  }

  @Test(arguments: [
    "Negotiate", "NTLM TlRMTVNTUAAC", "Digest realm=\"r\"", "Digest realm=\"r\", nonce=\"n\", algorithm=SHA-999",
    "=", "Basic realm=\"unterminated", "Basic realm=a, realm=b", "",
  ])
  func `what nobody can answer leaves the 401, and the app is not asked`(challenge: String) async throws {
    let app = App(user: "wader", password: "secret")
    let loader = Loader(StubTransport(.challenge(challenge)), interceptors: [Authentication()])
    #expect(try await app.load("https://a.example/", loader).status == 401)
    #expect(app.asked.challenges.isEmpty)
  }

  @Test func `the four answers do what they say`() async throws {
    struct Enough: Error {}
    func load(_ answer: ChallengeAnswer) async throws -> (status: Int, text: String) {
      let space = ProtectionSpace(
        origin: try Origin(scheme: .https, host: "a.example"), scheme: "basic", realm: "marsh")
      let store = MemoryCredentialStore([space: .password(user: "wader", password: "secret")])
      let loader = Loader(Self.basic(), interceptors: [Authentication(store: store)])
      return try await App { _ in answer }.load("https://a.example/", loader)
    }
    #expect(try await load(.defaultHandling) == (200, "welcome"))
    #expect(try await load(.use(.password(user: "wader", password: "secret"))) == (200, "welcome"))
    #expect(try await load(.reject) == (401, "who?"))
    await #expect(throws: Enough.self) { try await load(.cancel(Enough())) }
  }

  @Test func `a rejected challenge gives way to the next one of the response`() async throws {
    let transport = RecordingTransport(
      StubTransport { asked in
        asked.request.headerFields[.authorization] == Self.right
          ? .text("welcome")
          : .challenge("Digest realm=\"d\", nonce=\"n\", qop=\"auth\", Negotiate", "Basic realm=\"b\"")
      })
    let app = App { challenge in
      challenge.protectionSpace.scheme == "basic" ? .use(.password(user: "wader", password: "secret")) : .reject
    }
    let loader = Loader(transport, interceptors: [Authentication()])
    #expect(try await app.load("https://a.example/", loader).status == 200)
    #expect(app.asked.challenges.map(\.protectionSpace.scheme) == ["digest", "basic"])
  }

  @Test func `a stored credential is proposed once, and what worked is stored when asked for`() async throws {
    let space = ProtectionSpace(origin: try Origin(scheme: .https, host: "a.example"), scheme: "basic", realm: "marsh")
    let store = MemoryCredentialStore([space: .password(user: "wader", password: "old")])
    var configuration = Authentication.Configuration()
    configuration.storesAnswers = true
    let app = App { challenge in
      challenge.proposedCredential == nil ? .use(.password(user: "wader", password: "secret")) : .defaultHandling
    }
    let authentication = Authentication(store: store, configuration: configuration)
    let loader = Loader(Self.basic(), interceptors: [authentication])
    #expect(try await app.load("https://a.example/", loader).status == 200)
    #expect(app.asked.challenges.map(\.previousFailureCount) == [0, 1])
    #expect(app.asked.challenges.map(\.proposedCredential) == [.password(user: "wader", password: "old"), nil])
    #expect(store.credential(for: space) == .password(user: "wader", password: "secret"))
  }

  @Test func `a password sent by Digest to one path is not sent by Basic to another, whoever asks for it`() async throws
  {
    let transport = RecordingTransport(
      StubTransport { asked in
        if asked.request.url.path == "/2" { return .challenge("Basic realm=\"marsh\"") }
        return asked.request.headerFields[.authorization]?.hasPrefix("Digest ") == true
          ? .text("welcome") : .challenge("Digest realm=\"marsh\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256")
      })
    let loader = Loader(transport, interceptors: [Authentication()])
    let app = App(user: "wader", password: "secret")
    #expect(try await app.load("http://h.example/1", loader).status == 200)
    #expect(try await app.load("http://h.example/2", loader).status == 401)
    #expect(sent(transport).map { $0.map { $0.prefix(6) } } == [nil, "Digest", "Digest"])
  }

  @Test func `a server that asks under another realm each time gets the password once`() async throws {
    let realm = Guarded(0)
    let transport = RecordingTransport(
      StubTransport { _ in
        let number = realm.withLock { number in
          number += 1
          return number
        }
        return .challenge("Basic realm=\"marsh\(number)\"")
      })
    let loader = Loader(transport, interceptors: [Authentication()])
    let app = App(user: "wader", password: "secret")
    #expect(try await app.load("https://a.example/", loader).status == 401)
    #expect(app.asked.challenges.map(\.previousFailureCount) == [0, 1])
    #expect(sent(transport) == [nil, Self.right])
  }

  @Test func `the app decides whether it can answer, and whether what is stored may be used`() async throws {
    let space = ProtectionSpace(origin: try Origin(scheme: .https, host: "a.example"), scheme: "basic", realm: "marsh")
    let authentication = Authentication(
      store: MemoryCredentialStore([space: .password(user: "wader", password: "secret")]))
    let transport = RecordingTransport(Self.basic())
    let loader = Loader(transport, interceptors: [authentication])
    var app = App()
    app.settings.hooks.mayUseStoredCredentials = { _ in false }
    #expect(try await app.load("https://a.example/", loader).status == 401)
    #expect(try await App().load("https://a.example/", loader).status == 200)
    // Known by now, and still not for a request that wants none of it.
    #expect(try await app.load("https://a.example/", loader).status == 401)
    #expect(sent(transport).last == .some(nil))
    authentication.forgetAll()
    var other = App()
    other.settings.hooks.canAnswer = { $0.scheme != "basic" }
    #expect(try await other.load("https://a.example/", loader).status == 401)
  }

  @Test func `an answer for a request that uses nothing stored is not kept for others`() async throws {
    let transport = RecordingTransport(Self.basic())
    let loader = Loader(transport, interceptors: [Authentication()])
    var app = App(user: "wader", password: "secret")
    app.settings.hooks.mayUseStoredCredentials = { _ in false }
    #expect(try await app.load("https://a.example/", loader).status == 200)
    #expect(try await App().load("https://a.example/", loader).status == 401)
  }

  @Test func `an app that always answers wrongly ends with the 401 after the limit`() async throws {
    let transport = RecordingTransport(Self.basic())
    let app = App { _ in .use(.password(user: "wader", password: "wrong")) }
    #expect(try await app.load("https://a.example/", Loader(transport, interceptors: [Authentication()])).status == 401)
    #expect(transport.requests.count == 6)
    #expect(app.asked.challenges.map(\.previousFailureCount) == [0, 1, 2, 3, 4])
  }

  @Test func `a server that finds each nonce stale is given up`() async throws {
    let transport = RecordingTransport(
      StubTransport { asked in
        .challenge("Digest realm=\"r\", nonce=\"n\(asked.index)\", qop=\"auth\", stale=TRUE")
      })
    let app = App(user: "wader", password: "secret")
    #expect(try await app.load("https://a.example/", Loader(transport, interceptors: [Authentication()])).status == 401)
    #expect(transport.requests.count == 6)
    #expect(app.asked.challenges.count == 1)
  }

  @Test func `realms of one origin are told apart`() async throws {
    let transport = RecordingTransport(
      StubTransport { asked in
        let realm = asked.request.url.path.hasPrefix("/a/") ? "a" : "b"
        return asked.request.headerFields[.authorization] == Data.basic("\(realm):\(realm)")
          ? .text("welcome") : .challenge("Basic realm=\"\(realm)\"")
      })
    let app = App { challenge in
      let realm = challenge.protectionSpace.realm ?? ""
      return challenge.previousFailureCount == 0 ? .use(.password(user: realm, password: realm)) : .reject
    }
    let loader = Loader(transport, interceptors: [Authentication()])
    for path in ["/a/x", "/b/x", "/a/y", "/b/y", "/a/z"] {
      #expect(try await app.load("https://a.example\(path)", loader).status == 200)
    }
    #expect(transport.requests.count == 7)
    // A realm that covers all of the origin: what is known of the longer path goes first, and is no failure elsewhere.
    #expect(try await app.load("https://a.example/c", loader).status == 200)
    #expect(app.asked.challenges.map(\.previousFailureCount).allSatisfy { $0 == 0 })
  }

  @Test func `a wrong password is forgotten`() async throws {
    let password = Guarded("secret")
    let transport = RecordingTransport(
      StubTransport { asked in
        asked.request.headerFields[.authorization] == Data.basic("wader:\(password.withLock { $0 })")
          ? .text("welcome") : .challenge("Basic realm=\"marsh\"")
      })
    let loader = Loader(transport, interceptors: [Authentication()])
    let typed = Guarded<String?>("secret")
    let app = App { challenge in
      guard challenge.previousFailureCount == 0, let text = typed.withLock({ $0 }) else { return .defaultHandling }
      return .use(.password(user: "wader", password: text))
    }
    try await app.load("https://a.example/", loader)
    password.withLock { $0 = "new" }
    typed.withLock { $0 = nil }
    #expect(try await app.load("https://a.example/", loader).status == 401)
    #expect(try await app.load("https://a.example/", loader).status == 401)
    #expect(sent(transport) == [nil, Self.right, Self.right, nil])
    typed.withLock { $0 = "new" }
    #expect(try await app.load("https://a.example/", loader).status == 200)
  }

  @Test func `what one hook answered is not used for another one, nor for none`() async throws {
    let transport = RecordingTransport(
      StubTransport { asked in
        let field = asked.request.headerFields[.authorization]
        let users = ["wader:secret", "sandpiper:other"].map { Data.basic($0) }
        return field.map { users.contains($0) } == true ? .text(field ?? "") : .challenge("Basic realm=\"marsh\"")
      })
    let loader = Loader(transport, interceptors: [Authentication()])
    let (wader, sandpiper) = (App(user: "wader", password: "secret"), App(user: "sandpiper", password: "other"))
    for _ in 0..<2 {
      #expect(try await wader.load("https://a.example/", loader).text == Data.basic("wader:secret"))
      #expect(try await sandpiper.load("https://a.example/", loader).text == Data.basic("sandpiper:other"))
      #expect(try await App(user: "wader", password: "wrong").load("https://a.example/", loader).status == 401)
      #expect(try await App().load("https://a.example/", loader).status == 401)
    }
    // The second time each one's own answer is sent unasked, although others failed meanwhile.
    #expect(wader.asked.challenges.count == 1 && sandpiper.asked.challenges.count == 1)
  }

  @Test func `of a hook's answer and a stored one, that of the longer path goes first`() async throws {
    let passwords = ["public": "p", "admin": "a"]
    let transport = RecordingTransport(
      StubTransport { asked in
        let realm = asked.request.url.path.hasPrefix("/admin/") ? "admin" : "public"
        let right = Data.basic("wader:\(passwords[realm] ?? "")")
        return asked.request.headerFields[.authorization] == right
          ? .text("welcome") : .challenge("Basic realm=\"\(realm)\"")
      })
    let store = MemoryCredentialStore()
    let space = ProtectionSpace(origin: try Origin(scheme: .https, host: "a.example"), scheme: "basic", realm: "admin")
    await store.set(.password(user: "wader", password: "a"), for: space)
    let loader = Loader(transport, interceptors: [Authentication(store: store)])
    let app = App { $0.proposedCredential == nil ? .use(.password(user: "wader", password: "p")) : .defaultHandling }
    for path in ["/admin/x", "/index", "/admin/y", "/other"] {
      #expect(try await app.load("https://a.example\(path)", loader).status == 200)
    }
    #expect(transport.requests.count == 6, "two challenges, and none again")
  }

  @Test func `what the store knows is for every hook`() async throws {
    let transport = RecordingTransport(
      StubTransport { asked in
        asked.request.headerFields[.authorization] == Self.right
          ? .text("welcome") : .challenge("Basic realm=\"marsh\"")
      })
    let store = MemoryCredentialStore()
    let space = ProtectionSpace(origin: try Origin(scheme: .https, host: "a.example"), scheme: "basic", realm: "marsh")
    await store.set(.password(user: "wader", password: "secret"), for: space)
    let loader = Loader(transport, interceptors: [Authentication(store: store)])
    for app in [App(), App { _ in .defaultHandling }, App()] {
      #expect(try await app.load("https://a.example/", loader).status == 200)
    }
    #expect(sent(transport) == [nil, Self.right, Self.right, Self.right])
  }

  @Test func `a request with authorization of its own is sent as it is`() async throws {
    let transport = RecordingTransport(Self.basic())
    let loader = Loader(transport, interceptors: [Authentication()])
    try await App(user: "wader", password: "secret").load("https://a.example/", loader)
    var request = try Request(.get, "https://a.example/")
    request.headerFields[.authorization] = "Custom thing"
    #expect(try await App().load(request, loader).status == 401)
    #expect(sent(transport).last == "Custom thing")
  }

  @Test func `a URL with user information is refused, and answers nothing`() async throws {
    let transport = RecordingTransport(Self.basic())
    let loader = Loader(transport, interceptors: [Authentication()])
    try await App(user: "wader", password: "secret").load("https://a.example/", loader)
    let error = await #expect(throws: NetworkError.self) {
      try await App().load("https://wader:secret@a.example/", loader)
    }
    #expect(error?.kind == .invalidURL)
    #expect(sent(transport).last == .some(nil))
  }

  @Test(arguments: [
    Credential.bearer(token: "t"), .password(user: "a:b", password: "secret-1"),
    .password(user: "a", password: "secret-1\r\nX: y"),
  ])
  func `a credential that the scheme cannot carry is a typed error without the secret`(
    credential: Credential
  ) async throws {
    let app = App { _ in .use(credential) }
    let error = await #expect(throws: NetworkError.self) {
      try await app.load("https://a.example/", Loader(Self.basic(), interceptors: [Authentication()]))
    }
    #expect(error?.kind == .authenticationFailed)
    #expect(!String(reflecting: error).contains("secret-1"))
  }

  @Test func `a 401 whose body never ends is cut off, and the answer sent all the same`() async throws {
    let clock = ManualClock()
    let transport = StubTransport { asked in
      guard asked.request.headerFields[.authorization] == nil else { return .text("welcome") }
      var answer = StubAnswer.challenge("Basic realm=\"marsh\"")
      answer.body = [.bytes(Data("drip".utf8)), .stall]
      return answer
    }
    var app = App(user: "wader", password: "secret")
    app.settings.clock = clock
    let loader = Loader(transport, interceptors: [Authentication()])
    let asking = app
    let loading = Task { try await asking.load("https://a.example/", loader).status }
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    #expect(try await loading.value == 200)
  }

  @Test func `a hundred thousand bytes of challenges cost no more than a 401`() async throws {
    let giant = "Digest realm=\"r\", nonce=\"\(String(repeating: "n", count: 50_000))\", qop=\"auth\""
    let many = Array(repeating: "Basic realm=\"r\"", count: 2_000).joined(separator: ", ")
    var answer = StubAnswer.challenge(giant, many)
    for index in 0..<100 {
      answer.headerFields.append(HTTPField(name: .wwwAuthenticate, value: "Basic realm=\"\(index)\""))
    }
    let app = App { _ in .reject }
    #expect(
      try await app.load("https://a.example/", Loader(StubTransport(answer), interceptors: [Authentication()])).status
        == 401)
    #expect(app.asked.challenges.count == 31)
  }
}
