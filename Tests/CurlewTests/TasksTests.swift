import Curlew
import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import Testing

/// The examples of TASKS.md, against the scripted origin.
///
/// The lines of its examples stand here, and in the settings' file, as they stand there; the last test compares them.
@Suite(.timeLimit(.minutes(10))) struct TasksTests {
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

  static let reply: ScriptedOrigin.Handler = { request in
    switch (request.method, request.path) {
    case ("GET", "/v1/birds/7"): return .json(#"{"id":7,"name":"Curlew"}"#, ["Cache-Control": "max-age=86400"])
    case ("PUT", "/v1/birds/7"): return .ok(await request.body())
    case ("PATCH", "/v1/birds/7"): return .json(String(decoding: await request.body(), as: UTF8.self))
    case ("DELETE", "/v1/birds/8"): return .status(204, [:])
    case ("GET", "/v1/atlas.zip"): return .ok("0123456789")
    case ("GET", "/v1/log.txt"): return .ok("one\ntwo\n")
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

  func withSession(
    _ reply: @escaping ScriptedOrigin.Handler = reply, _ work: (HTTPSession, ScriptedOrigin) async throws -> Void
  ) async throws {
    let origin = try await ScriptedOrigin.start(handler: reply)
    try await work(try HTTPSession(baseURL: origin.address("/v1/")), origin)
    await origin.stop()
  }

  func withFile(_ work: (String) async throws -> Void) async throws {
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

  @Test func `the document shows what these tests run, and the comparison counts the lines`() throws {
    let here = URL(filePath: #filePath)
    let top = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let settings = here.deletingLastPathComponent().appending(path: "TasksTests+Settings.swift")
    let tested = try Self.lines(of: here) + Self.lines(of: settings)
    let comparison = try Self.lines(of: top.appending(path: "COMPARISON.md"))
    var task: Substring = ""
    var counts: [Substring: [String: Int]] = [:]
    var example: (column: String, lines: [Substring])?
    for line in try Self.lines(of: top.appending(path: "TASKS.md")) + comparison {
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
      let cells =
        comparison.first { $0.lowercased().hasPrefix("| [\(task.lowercased())](") }?.split(separator: "|") ?? []
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
