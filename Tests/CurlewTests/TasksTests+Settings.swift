import Curlew
import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import Synchronization
import Testing

/// What the example of a log wrote; no other test uses it.
private let logLines = Mutex<[String]>([])
private func show(_ line: String) { logLines.withLock { $0.append(line) } }

/// The settings of TASKS.md.
extension TasksTests {
  @Test func `JSON can have other names and other dates`() async throws {
    struct Sighting: Codable, Sendable, Hashable {
      var seenAt: Date
    }
    try await withSession { _, origin in
      let api = origin.address("/v1/")
      var coding = JSONCoding()
      coding.decoder.keyDecodingStrategy = .convertFromSnakeCase
      coding.encoder.keyEncodingStrategy = .convertToSnakeCase
      coding.decoder.dateDecodingStrategy = .secondsSince1970
      let session = try HTTPSession(baseURL: api) { $0.coding = coding }
      let seen: Sighting = try await session.post("birds", .bytes(Data(#"{"seen_at":1}"#.utf8), as: .json))
      #expect(seen == Sighting(seenAt: Date(timeIntervalSince1970: 1)))
    }
  }

  @Test func `a response has the value, the status and the fields`() async throws {
    try await withSession { session, origin in
      var shown: [String] = []
      func show(_ text: String) { shown.append(text) }
      let answer = try await session.response(.get, "birds/7", as: Bird.self)
      show("\(answer.value) \(answer.status.code) \(answer.headerFields["X-Rate-Limit"] ?? "")")
      #expect(shown.first?.hasSuffix(" 200 ") == true && answer.value.id == 7)
      #expect(answer.headerFields["content-type"] == answer.headerFields[.contentType])
      #expect(answer.headerFields["no name"] == nil && answer.headerFields[.contentType] != nil)
      let text = try await session.get("birds/7", .string)
      #expect(text == #"{"id":7,"name":"Curlew"}"#)
      let draft = Bird(id: 7, name: "Heron")
      let stored = try await session.response(.put, "birds/7", .bytes(Data("{}".utf8), as: .json))
      let renamed: Bird = try await session.patch("birds/7", .json(draft))
      try await session.delete("birds/8", .data)
      #expect(stored.value == Data("{}".utf8) && renamed == draft)
      let sent = origin.requests.suffix(3)
      #expect(sent.map(\.method) == ["PUT", "PATCH", "DELETE"] && sent.first?["Content-Type"] == "application/json")
    }
  }

  @Test func `many downloads end with a file or a failure each, and a summary`() async throws {
    try await withSession({ request in
      request.target == "/v1/atlas.zip" ? .ok("0123456789") : .status(404, "none")
    }) { session, origin in
      let api = origin.address("/v1/")
      let directory = FileManager.default.temporaryDirectory.path + "/curlew-tasks-\(UInt64.random(in: 0 ... .max))"
      try LocalFileSystem().createDirectory(directory)
      defer { try? FileManager.default.removeItem(atPath: directory) }
      var shown: [String?] = []
      func show(_ text: String?) { shown.append(text) }
      func show(_ count: Int) { shown.append("\(count)") }
      let batch = try Batch(over: session)
      let names = ["atlas", "index"]
      try await batch.add(
        names.map { try .download($0, Request(.get, "\(api)\($0).zip"), to: "\(directory)/\($0).zip") })
      for try await outcome in batch {
        switch outcome.result {
        case .succeeded: show(outcome.file?.path)
        case .failed(let failure): show(failure.message)
        case .cancelled, .skipped: show(outcome.name)
        }
      }
      show(try await batch.summary.failed)
      #expect(shown.count == 3 && shown.contains("\(directory)/atlas.zip") && shown.last == "1", "\(shown)")
      #expect(shown.contains { $0?.contains("404") == true }, "\(shown)")
    }
  }

  @Test func `JSON needs no type, and a limit of its size can be raised`() async throws {
    try await withSession { session, origin in
      var shown: String?
      func show(_ text: String?) { shown = text }
      let noted: JSONValue = try await session.post("birds", .json(["name": "Heron", "age": 3]))
      show(noted["name"]?.stringValue)  // Also intValue, doubleValue, boolValue, arrayValue and objectValue.
      #expect(shown == "Heron")
      #expect(noted == ["name": "Heron", "age": 3])
      var coding = JSONCoding()
      coding.validation.maximumBytes = 1 << 30
      let patient = session.with { $0.coding = coding }
      let bytes = try await session.get("birds/7", .data(upTo: 1 << 30))
      #expect(patient.configuration.coding?.validation.maximumBytes == 1 << 30 && !bytes.isEmpty)
      var read: [String] = []
      func show(_ value: some Sendable) { read.append("\(value)") }
      for try await piece in session.bytes("atlas.zip") { show(piece.count) }
      for try await line in session.lines("log.txt") { show(line) }
      #expect(read == ["10", "one", "two"])
      coding.validation.maximumBytes = 5
      let hasty = session.with { $0.coding = coding }
      for call: () async throws -> Void in [
        { let _: Bird = try await hasty.get("birds/7") }, { _ = try await session.get("birds/7", .data(upTo: 5)) },
      ] {
        let error = await #expect(throws: NetworkError.self) { try await call() }
        #expect(error?.kind == .bodyTooLarge && error?.advice?.contains("validation.maximumBytes") == true)
      }
    }
  }

  @Test func `an observer writes what is sent and what comes`() async throws {
    try await withSession { session, origin in
      struct Log: EventObserver {
        func observe(_ event: ExchangeEvent) {
          switch event.kind {
          case .sending(let request): show("→ \(request)")
          case .responded(let head): show("← \(head)")
          case .retrying(let attempt, let delay, _): show("attempt \(attempt) in \(delay)")
          case .finished(.failure(let error), _): show("\(error)")
          default: break
          }
        }
      }
      let logged = session.with { $0.settings.observers = [Log()] }
      let _: Bird = try await logged.get("birds/7", parameters: ["key": "hush"])
      await #expect(throws: NetworkError.self) { let _: Bird = try await logged.get("away") }
      let lines = logLines.withLock(\.self)
      let place = origin.address("/v1/")
      #expect(
        lines.prefix(2).map { $0.replacing(place, with: "") } == [
          "→ GET birds/7?key=<redacted>", "← 200 OK birds/7?key=<redacted>",
        ])
      #expect(lines.count == 4 && lines[3].hasPrefix("← 404 Not Found") && !lines.joined().contains("hush"))
    }
  }

  @Test func `a key is sent with all requests`() async throws {
    let key = "k"
    try await withSession { session, origin in
      let keyed = try session.with { try $0.headerFields.set("X-API-Key", to: key) }
      try await keyed.get("birds/7", .data)
      #expect(origin.requests.last?["X-API-Key"] == "k")
      let german: Bird = try await session.get("birds/7", headerFields: [.acceptLanguage: "de"])
      #expect(german.id == 7)
      let bearing = try session.with { try $0.headerFields.set("Authorization", to: "Bearer \(key)") }
      try await bearing.get("birds/7", .data)
      #expect(origin.requests.last?["Authorization"] == "Bearer k")
    }
  }

  @Test func `a password is for the server of the base URL, and for no other`() async throws {
    let secret = "s"
    let asking = OriginReply.status(401, ["WWW-Authenticate": "Basic realm=\"birds\""])
    let right = "Basic d2FkZXI6cw=="
    let other = try await ScriptedOrigin.start { _ in asking }
    let elsewhere = other.address("/v1/birds/7")
    try await withSession({ request in
      if request.target == "/v1/away" { return .redirect(to: elsewhere) }
      return request["Authorization"] == right ? await Self.reply(request) : asking
    }) { session, origin in
      let signedIn = try session.with { try $0.authenticate(user: "wader", password: secret) }
      let bird: Bird = try await signedIn.get("birds/7")
      #expect(bird.id == 7 && origin.requests.last?["Authorization"] == right)
      for path in ["away", elsewhere] {
        let error = await #expect(throws: NetworkError.self) { try await signedIn.get(path, .data) }
        #expect(error?.status == .unauthorized)
      }
      #expect(other.requests.count == 2 && other.requests.allSatisfy { $0["Authorization"] == nil })
      // One that does not wait for a challenge sends it to that server only, too.
      let basic = "Basic " + Data("wader:\(secret)".utf8).base64EncodedString()
      let known = try session.with { try $0.headerFields.set("Authorization", to: basic) }
      let _: Bird = try await known.get("birds/7")
      #expect(origin.requests.last?["Authorization"] == right)
      await #expect(throws: NetworkError.self) { try await known.get(elsewhere, .data) }
      #expect(other.requests.last?["Authorization"] == nil)
      // The original knows nothing of it, and a copy with another password does not use this one.
      let wrong = try session.with { try $0.authenticate(user: "wader", password: "wrong") }
      for (other, isRefused) in [(session, false), (wrong, true)] {
        let count = origin.requests.count
        let error = await #expect(throws: NetworkError.self) { try await other.get("birds/7", .data) }
        #expect(error?.status == .unauthorized)
        #expect(error?.advice?.hasPrefix("The server refused the credentials") == isRefused)
        #expect(origin.requests.dropFirst(count).allSatisfy { $0["Authorization"] != right })
      }
    }
    await other.stop()
  }

  @Test func `a server with a self-signed certificate is trusted by its certificate`() async throws {
    let identity = try TestIdentity.selfSigned()
    let files = try identity.writeFiles()
    defer { files.remove() }
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(identity), handler: Self.reply)
    let session = try HTTPSession(baseURL: origin.address("/v1/", host: "localhost"))
    let pem = files.chain
    var development = SecurityPolicy.Settings()
    development.anchors = .only(try Certificate.all(inFile: pem))
    let policy = try SecurityPolicy(development)
    let local = session.with { $0.settings.serverTrust = policy }
    let bird: Bird = try await local.get("birds/7")
    #expect(bird.id == 7)
    await #expect(throws: NetworkError.self) { try await session.get("birds/7", .data) }
    await origin.stop()
  }

  @Test func `a client certificate is shown to a server that asks for one`() async throws {
    let root = try TestIdentity.authority()
    let (server, client) = (try root.issue(), try root.issue(.client()))
    let (files, trusted) = (try client.writeFiles(), try server.writeFiles())
    defer { [files, trusted].forEach { $0.remove() } }
    let tls = OriginTLS(server).with { $0.clientCertificates = .issued(by: [root.root]) }
    let origin = try await ScriptedOrigin.start(tls: tls, handler: Self.reply)
    var own = SecurityPolicy.Settings()
    own.anchors = .only(try Certificate.all(inFile: trusted.root))
    let policy = try SecurityPolicy(own)
    let session = try HTTPSession(baseURL: origin.address("/v1/", host: "localhost")) {
      $0.settings.serverTrust = policy
    }
    let (chainFile, keyFile) = (URL(filePath: files.chain), URL(filePath: files.key))
    let identity = ClientIdentity(
      certificateChain: try Data(contentsOf: chainFile), privateKey: try Data(contentsOf: keyFile))
    let known = session.with { $0.settings.clientIdentity = identity }
    let bird: Bird = try await known.get("birds/7")
    #expect(bird.id == 7)
    let error = await #expect(throws: NetworkError.self) { try await session.get("birds/7", .data) }
    #expect(error?.kind == .clientIdentityFailed)
    await origin.stop()
  }

  @Test func `a redirect can be looked at`() async throws {
    let places = Guarded<[String?]>([])
    let show = { (place: String?) in places.withLock { $0.append(place) } }
    let origin = try await ScriptedOrigin.start { _ in .redirect(to: "/birds/7") }
    let session = try HTTPSession(baseURL: origin.address("/v1/"))
    let still = session.with { $0.options.redirectLimit = 0 }
    do {
      try await still.get("old/7", .data)
    } catch let error as NetworkError where error.status?.kind == .redirection {
      show(error.details.response?.headerFields[.location])
    }
    #expect(places.withLock { $0 } == ["/birds/7"])
    await origin.stop()
  }

  @Test func `timeouts and proxies are settings of a session and of a call`() async throws {
    try await withSession { session, _ in
      let soon: Bird = try await session.get("birds/7", options: RequestOptions(timeout: .seconds(10)))
      let hasty = session.with {
        $0.options.timeouts = Timeouts(connect: .seconds(5), idle: .seconds(20), total: .seconds(60))
      }
      let late: Bird = try await session.with { $0.settings.deadline = .now + .seconds(90) }.get("birds/7")
      #expect(late == soon)
      let proxied = session.with { $0.settings.proxy = Proxy(host: "proxy.example.com", port: 3128) }
      #expect(soon.id == 7 && proxied.configuration.settings.proxy?.port == 3128)
      #expect(hasty.configuration.options.timeouts.idle == .seconds(20))
    }
  }

  @Test func `the environment's proxies and a file of HSTS hosts are parts of a session's chain`() async throws {
    try await withFile { file in
      try await withSession { session, _ in
        let usual = session.with { $0.chain.proxy = EnvironmentProxies(ProcessInfo.processInfo.environment) }
        let hosts = try HSTSHosts(file)
        let strict = session.with { $0.chain.hsts = HSTS(hosts) }
        hosts.set("birds.example", until: .latest)  // Not shown.
        try hosts.save()
        let bird: Bird = try await strict.get("birds/7")
        #expect(bird.id == 7 && usual.configuration.chain.proxy != nil)
        #expect(try HSTSHosts(file).contains("birds.example", at: .latest) == false)
        #expect(try HSTSHosts(file).contains("birds.example", at: HTTPDate(secondsSince1970: 0)))
      }
    }
  }

  @Test func `cookies and a cache are kept in files`() async throws {
    let reply: ScriptedOrigin.Handler = { request in
      .json(#"{"id":7,"name":"Curlew"}"#, ["Cache-Control": "max-age=86400", "Set-Cookie": "a=1; Max-Age=60; Path=/"])
    }
    try await withFile { file in
      try await withFile { directory in
        try await withSession(reply) { session, origin in
          let jar = try FileCookieJar(file)
          let remembering = session.with { $0.chain.cookies = Cookies(jar) }
          let _: Bird = try await remembering.get("birds/7")  // Not shown.
          try jar.save()
          let store = try DiskCacheStore(directory)
          let lasting = session.with { $0.chain.caching = Caching(store) }
          let first: Bird = try await lasting.get("birds/7")
          let second: Bird = try await lasting.get("birds/7")
          #expect(first == second && origin.requests.count == 2)
          #expect(try String(contentsOf: URL(filePath: file), encoding: .utf8).contains("\ta\t1"))
        }
      }
    }
  }

  @Test func `a token of OAuth 2 is kept in a file and renewed`() async throws {
    let reply: ScriptedOrigin.Handler = { request in
      request["Authorization"] == "Bearer t2" ? .json(#"{"id":7,"name":"Curlew"}"#) : .status(401, [:])
    }
    let server = StubTransport(.json(#"{"access_token":"t2","token_type":"Bearer","expires_in":60}"#))
    let signInLoader = Loader(server)
    let key = "secret"
    @Sendable func show(_ text: String) {}
    try await withFile { file in
      // The user has signed in before.
      try OAuth2TokenFile(file).write(OAuth2Token(BearerToken("t1"), refreshToken: "r1"))
      try await withSession(reply) { session, origin in
        let api = origin.address("/v1/")
        let client = try OAuth2Client(id: "birds", secret: key, tokenEndpoint: "https://login.example.com/token") {
          try await signInLoader.data(for: $0, upTo: 65_536)
        }
        let own = try TokenSource(for: [api], clientCredentials: client)
        let kept = OAuth2TokenFile(file)
        if try kept.read() == nil {
          try kept.write(await client.login(at: "https://login.example.com/device") { code in show(code.description) })
        }
        let user = try TokenSource(for: [api], refreshing: client, keptIn: kept)
        let signedIn = session.with { $0.chain.authentication = Authentication(tokens: [user]) }
        let bird: Bird = try await signedIn.get("birds/7")
        #expect(try await own.token().value == "t2")
        #expect(try bird.id == 7 && kept.read()?.bearer.value == "t2" && kept.read()?.refreshToken == "r1")
      }
    }
  }

  @Test func `a transport writes a key log where the app says`() async throws {
    let api = "https://api.example.com/v1/"
    var watched = CurlTransport.Configuration()
    watched.keyLogPath = ProcessInfo.processInfo.environment["SSLKEYLOGFILE"]
    let transport = try CurlTransport(watched)
    let inspected = try HTTPSession(baseURL: api) { $0.transport = .shared(transport) }
    #expect(inspected.configuration.baseURL?.description == api)
    await transport.shutdown()
  }
}
