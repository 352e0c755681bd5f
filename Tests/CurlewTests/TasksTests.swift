import Curlew
import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import Synchronization
import Testing

/// What the example of a log wrote; no other test uses it.
private let logLines = Mutex<[String]>([])
private func show(_ line: String) { logLines.withLock { $0.append(line) } }

/// The Curlew column of TASKS.md, against the scripted origin.
///
/// The lines of its examples stand here as they stand there; the last test compares them.
@Suite(.timeLimit(.minutes(2))) struct TasksTests {
  struct Bird: Codable, Sendable, Hashable {
    var id: Int
    var name: String
  }

  struct SignedIn: Decodable, Sendable {
    var token: String
    var lifetime: Double
  }

  struct Page: Decodable, Sendable {
    var birds: [Bird]
    var next: String?
  }

  private static let reply: ScriptedOrigin.Handler = { request in
    switch (request.method, request.path) {
    case ("GET", "/v1/birds/7"): return .json(#"{"id":7,"name":"Curlew"}"#, ["Cache-Control": "max-age=60"])
    case ("PUT", "/v1/birds/7"): return .ok(await request.body())
    case ("POST", "/v1/birds"): return .json(String(decoding: await request.body(), as: UTF8.self), status: 201)
    case ("POST", "/v1/photos"):
      let body = String(decoding: await request.body(), as: UTF8.self)
      let isForm = request["Content-Type"]?.hasPrefix("multipart/form-data") == true
      return .status(isForm && body.contains(#"name="photo"; filename="#) ? 201 : 400)
    case ("GET", "/v1/birds"):
      let isFirst = request.query == nil
      return .json(
        isFirst
          ? #"{"birds":[{"id":1,"name":"a"},{"id":2,"name":"b"}],"next":"birds?page=2"}"#
          : #"{"birds":[{"id":3,"name":"c"}]}"#)
    case ("GET", "/v1/stream"):
      guard request["Last-Event-ID"] == nil else { return .status(204, [:]) }
      return .ok("retry: 1\nid: 1\ndata: one\n\n", type: "text/event-stream")
    case ("GET", "/v1/birds/7000"):
      return .status(404, Array(#"{"detail":"It flew."}"#.utf8), type: "application/problem+json")
    case ("GET", let path) where path.hasPrefix("/v1/birds/"):
      return .json(#"{"id":\#(path.dropFirst("/v1/birds/".count)),"name":"x"}"#)
    default: return .status(404, "no")
    }
  }

  private func withSession(
    _ reply: @escaping ScriptedOrigin.Handler = reply, _ work: (HTTPSession, ScriptedOrigin) async throws -> Void
  ) async throws {
    let origin = try await ScriptedOrigin.start(handler: reply)
    try await work(try HTTPSession(baseURL: origin.address("/v1/")), origin)
    await origin.stop()
  }

  private func withFile(_ work: (String) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.path + "/curlew-tasks-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await work(path)
  }

  @Test func `JSON is fetched and posted`() async throws {
    try await withSession { session, _ in
      let draft = Bird(id: 8, name: "Heron")
      let bird: Bird = try await session.get("birds/7")

      let made: Bird = try await session.post("birds", .json(draft))
      #expect(bird == Bird(id: 7, name: "Curlew") && made == draft)
    }
  }

  @Test func `a 404 says why in its body`() async throws {
    try await withSession { session, _ in
      var shown: [String?] = []
      func show(_ detail: String?) { shown.append(detail) }
      var bird: Bird?
      do {
        bird = try await session.get("birds/7000")
      } catch let error as NetworkError where error.status == .notFound {
        show(error.decodedBody(as: ProblemDetails.self)?.detail)
      }
      #expect(bird == nil && shown == ["It flew."])
    }
  }

  @Test func `a multipart form is uploaded with progress`() async throws {
    try await withFile { path in
      let photo = URL(filePath: path)
      try Data(count: 300_000).write(to: photo)
      try await withSession { session, _ in
        var shown: [Double] = []
        func show(_ fraction: Double?) { shown += fraction.map { [$0] } ?? [] }
        let upload = session.upload(.multipart { form in try form.append(file: photo, name: "photo") }, to: "photos")
        for try await progress in upload { show(progress.fraction) }
        #expect(shown.last == 1 && upload.metrics.last?.bytesSent ?? 0 > 300_000)
      }
    }
  }

  @Test func `a download continues with the bytes that an earlier one left`() async throws {
    let size = 400_000
    let whole = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let ranges = Guarded<[String?]>([])
    let reply: ScriptedOrigin.Handler = { request in
      ranges.withLock { $0.append(request["Range"]) }
      let fields: OriginFields = ["ETag": "\"1\"", "Accept-Ranges": "bytes"]
      guard let first = request["Range"]?.dropFirst("bytes=".count).split(separator: "-").first.flatMap({ Int($0) })
      else {
        // Half of it, and then the connection is lost.
        return .ok(whole, fields).cut(after: Int64(size / 2))
      }
      return .status(
        206, Array(whole[first...]), type: "application/octet-stream",
        fields.merging(["Content-Range": "bytes \(first)-\(size - 1)/\(size)"]))
    }
    try await withFile { path in
      try await withSession(reply) { session, _ in
        let file = try await session.download("atlas.zip", to: path).value
        #expect(file.length == Int64(size))
        #expect(try [UInt8](Data(contentsOf: URL(filePath: path))) == whole)
        #expect(ranges.withLock { $0 }.count == 2 && ranges.withLock { $0 }.last??.hasPrefix("bytes=") == true)
      }
    }
  }

  @Test func `a token is renewed once for all requests`() async throws {
    let signIns = Guarded(0)
    let reply: ScriptedOrigin.Handler = { request in
      if request.path == "/v1/token" {
        let number = signIns.withLock { number -> Int in
          number += 1
          return number
        }
        return .json(#"{"token":"t\#(number)","lifetime":3600}"#)
      }
      // The first token has been withdrawn.
      guard request["Authorization"] == "Bearer t2" else {
        return .status(401, ["WWW-Authenticate": "Bearer", "Content-Length": "0"])
      }
      return await Self.reply(request)
    }
    try await withSession(reply) { session, origin in
      let api = origin.address("/v1/")
      let tokens = try TokenSource(for: [api]) { _ in
        let answer: SignedIn = try await session.post("token", .form(["grant_type": "client_credentials"]))
        return BearerToken(answer.token, expires: Date(timeIntervalSinceNow: answer.lifetime))
      }
      let signedIn = session.with { $0.chain.authentication = Authentication(tokens: [tokens]) }
      let birds = try await withThrowingTaskGroup(of: Bird.self) { group in
        for _ in 0..<8 { group.addTask { try await signedIn.get("birds/7") } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(birds.count == 8 && signIns.withLock { $0 } == 2)
    }
  }

  @Test func `a request that failed is tried again`() async throws {
    let asked = Guarded(0)
    let reply: ScriptedOrigin.Handler = { request in
      let number = asked.withLock { number -> Int in
        number += 1
        return number
      }
      return number < 3 ? .status(503, ["Retry-After": "0", "Content-Length": "0"]) : await Self.reply(request)
    }
    try await withSession(reply) { session, _ in
      let patient = session.with { $0.retry = RetryPolicy(limit: 5) }
      let bird: Bird = try await patient.get("birds/7")
      #expect(bird.id == 7 && asked.withLock { $0 } == 3)
    }
  }

  @Test func `a fresh response comes from the cache`() async throws {
    try await withSession { session, origin in
      let cached = session.with { $0.chain.caching = Caching(MemoryCacheStore(capacity: 32 << 20)) }
      let bird: Bird = try await cached.get("birds/7")
      let again: Bird = try await cached.get("birds/7")
      #expect(bird.id == 7 && bird == again && origin.requests.count == 1)
    }
  }

  @Test func `a server is known by its key`() async throws {
    let identity = try TestIdentity.selfSigned()
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(identity), handler: Self.reply)
    let session = try HTTPSession(baseURL: origin.address("/v1/", host: "localhost"))
    let backupPin = "sha256/" + Data(count: 32).base64EncodedString()
    let wrongPin = "sha256/" + Data(repeating: 1, count: 32).base64EncodedString()
    let certificate = try Certificate(der: Data(identity.certificate.der))
    for (pin, isTrusted) in [(try #require(identity.certificate.pin), true), (wrongPin, false)] {
      let pinned = try session.with { configuration in
        var policy = SecurityPolicy.Settings()
        policy.pinningMode = .publicKey
        policy.publicKeyPins = [try PublicKeyPin(pin)]
        policy.backupPublicKeyPins = [try PublicKeyPin(backupPin)]
        policy.anchors = .only([certificate])  // Not shown.
        configuration.settings.serverTrust = try SecurityPolicy(policy)
      }
      let bird: Bird? = try? await pinned.get("birds/7")
      #expect((bird?.id == 7) == isTrusted)
    }
    await origin.stop()
  }

  @Test func `events arrive, and the connection is made again until the server is done`() async throws {
    try await withSession { session, origin in
      var shown: [String] = []
      func show(_ text: String) { shown.append(text) }
      for try await event in session.serverSentEvents("stream") { show(event.data) }
      #expect(shown == ["one"] && origin.requests.count == 2)
    }
  }

  @Test func `pages are read until the last`() async throws {
    try await withSession { session, _ in
      var birds: [Bird] = []
      for try await page in session.pages("birds", as: Page.self, next: { $0.value.next }) { birds += page.value.birds }
      #expect(birds.map(\.id) == [1, 2, 3])
    }
  }

  @Test func `pages whose Link field names the next one are read until the last`() async throws {
    try await withSession({ request in
      let isFirst = request.query == nil
      guard isFirst else { return .json(#"[{"id":2,"name":"b"}]"#) }
      return .json(#"[{"id":1,"name":"a"}]"#, ["Link": "<birds?page=2>; rel=\"next\""])
    }) { session, _ in
      var listed: [Bird] = []
      for try await page in session.pages("birds", as: [Bird].self) { listed += page.value }
      #expect(listed.map(\.id) == [1, 2])
    }
  }

  @Test func `a query is made of variables or of any value`() async throws {
    try await withSession({ _ in .json("[]") }) { session, origin in
      let (name, page) = ("a b", 2)
      let found: [Bird] = try await session.get("birds", parameters: ["name": name, "page": page])
      let query = try Parameters(encoding: ["name": name, "page": page])
      let same: [Bird] = try await session.get("birds", parameters: query)
      #expect(found == same && origin.requests.map(\.query) == ["name=a%20b&page=2", "name=a%20b&page=2"])
      let none: Int? = nil
      let _: [Bird] = try await session.get(
        "birds", parameters: ["page": none, "since": Date(timeIntervalSince1970: 0)])
      #expect(origin.requests.last?.query == "since=1970-01-01T00%3A00%3A00Z")
    }
    try await withSession { session, _ in
      let name = "a b"
      let sent = try await session.post("birds", .form(["name": name]), .string)
      let again = try await session.post("birds", .form(encoding: ["name": name]), .string)
      #expect(sent == "name=a%20b" && again == sent)
    }
    try await withSession({ _ in .json(#"{"id":1,"name":"a"}"#) }) { session, origin in
      let name = "../a?b"
      let named: Bird = try await session.get("birds/\(segment: name)")
      #expect(named.id == 1 && origin.requests.map(\.path) == ["/v1/birds/..%2Fa%3Fb"])
    }
  }

  @Test func `of many requests four are sent at once`() async throws {
    let busy = Watched((now: 0, most: 0))
    let reply: ScriptedOrigin.Handler = { request in
      busy.update { busy in
        busy.now += 1
        busy.most = max(busy.most, busy.now)
      }
      // The first ones stay until there are four of them.
      try? await busy.wait { $0.most >= 4 }
      busy.update { $0.now -= 1 }
      return await Self.reply(request)
    }
    try await withSession(reply) { session, _ in
      let four = session.with { $0.chain.perHop.append(ConcurrencyLimit(perOrigin: 4)) }
      let birds = try await withThrowingTaskGroup(of: Bird.self) { group in
        for id in 1...100 { group.addTask { try await four.get("birds/\(id)") } }
        var birds: [Bird] = []
        for try await bird in group { birds.append(bird) }
        return birds
      }
      #expect(Set(birds.map(\.id)) == Set(1...100))
      #expect(busy.current.most == 4)
    }
  }

  @Test func `a test needs no network`() async throws {
    let bird = Bird(id: 7, name: "Curlew")
    struct GetBird: Endpoint {
      typealias Output = Bird
      let id: Int
      var path: String { "birds/\(id)" }
    }
    let stub = StubTransport(answering: GetBird(id: 7), with: bird, as: .json)
    let session = try HTTPSession(stub) { configuration in
      configuration.baseURL = try BaseURL("https://api.example.com/v1/")
      configuration.coding = .json
    }
    let found = try await session.value(of: GetBird(id: 7))
    #expect(found == bird)
  }

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
      let stored = try await session.response(.put, "birds/7", .bytes(Data("{}".utf8), as: .json))
      #expect(stored.value == Data("{}".utf8))
      #expect(origin.requests.last?["Content-Type"] == "application/json")
    }
  }

  @Test func `JSON needs no type, and a limit of its size can be raised`() async throws {
    try await withSession { session, origin in
      let noted: JSONValue = try await session.post("birds", .json(["name": "Heron", "age": 3] as JSONValue))
      #expect(noted["name"]?.stringValue == "Heron")
      #expect(noted == ["name": "Heron", "age": 3])
      var coding = JSONCoding()
      coding.validation.maximumBytes = 1 << 30
      let patient = session.with { $0.coding = coding }
      let bytes = try await session.get("birds/7", .data(upTo: 1 << 30))
      #expect(patient.configuration.coding?.validation.maximumBytes == 1 << 30 && !bytes.isEmpty)
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

  @Test func `timeouts and proxies are settings of a session and of a call`() async throws {
    try await withSession { session, _ in
      let soon: Bird = try await session.get("birds/7", options: RequestOptions(timeouts: Timeouts(total: .seconds(2))))
      let hasty = session.with {
        $0.options.timeouts = Timeouts(connect: .seconds(5), idle: .seconds(20), total: .seconds(60))
      }
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
      .json(#"{"id":7,"name":"Curlew"}"#, ["Cache-Control": "max-age=60", "Set-Cookie": "a=1; Max-Age=60; Path=/"])
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

  @Test func `the document shows what these tests run, and counts its lines`() throws {
    let here = URL(filePath: #filePath)
    let top = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let tested = try Self.lines(of: here)
    let document = try Self.lines(of: top.appending(path: "TASKS.md"))
    var task: Substring = ""
    var counts: [Substring: [String: Int]] = [:]
    var example: (column: String, lines: [Substring])?
    for line in document {
      if line.hasPrefix("## ") { task = line.dropFirst(3) }
      if line.hasPrefix("```swift") {
        example = (line.dropFirst("```swift ".count).description, [])
      } else if line == "```", let shown = example {
        let isTested = tested.indices.contains { tested[$0...].starts(with: shown.lines) }
        if shown.column.isEmpty {
          #expect(isTested, "these lines of TASKS.md are not run: \(shown.lines.joined(separator: "\n"))")
        }
        guard !task.isEmpty, task != "Settings" else {
          example = nil
          continue
        }
        counts[task, default: [:]][shown.column] = shown.lines.count { !$0.hasPrefix("//") }
        example = nil
      } else {
        example?.lines.append(line)
      }
    }
    #expect(counts.count == 13 && counts.values.allSatisfy { $0[""] != nil })
    for (task, columns) in counts {
      let cells = document.first { $0.lowercased().hasPrefix("| [\(task.lowercased())](") }?.split(separator: "|") ?? []
      let stated = cells.dropFirst().prefix(3).map { $0.filter { $0 != " " } }
      #expect(stated == ["", "Alamofire", "AHC"].map { columns[$0].map(String.init) ?? "–" }, "\(task)")
    }
  }

  /// The lines of a file without margins and imports, and without those that only a test needs.
  private static func lines(of file: URL) throws -> [Substring] {
    Array(
      String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n").lazy
        .filter { !$0.hasSuffix("// Not shown.") && !$0.hasPrefix("import ") }.map { line in line.drop { $0 == " " } })
  }
}
