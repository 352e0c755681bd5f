import Curlew
import CurlewTestSupport
import FoundationEssentials
import Testing

/// What `import Curlew` alone can do, against a server.
@Suite(.timeLimit(.minutes(10))) struct FirstPageTests {
  struct Bird: Codable, Sendable, Equatable {
    var id: Int
    var name: String
  }

  struct Config: Codable, Sendable, Equatable { var colour: String }

  private static func reply(to request: OriginRequest) async -> OriginReply {
    switch (request.method, request.path) {
    case ("GET", "/v1/birds/7"): return .json(#"{"id":7,"name":"Curlew"}"#)
    case ("POST", "/v1/birds"): return .json(String(decoding: await request.body(), as: UTF8.self), status: 201)
    case ("GET", "/v1/feed.xml"): return .ok("<feed><title>Birds</title></feed>", type: "application/atom+xml")
    case ("GET", "/v1/config.yaml"): return .ok("colour: brown\n", type: "application/yaml")
    case ("GET", "/v1/atlas.zip"): return .ok([UInt8](repeating: 7, count: 100_000))
    case ("GET", "/v1/stream"):
      guard request["Last-Event-ID"] == nil else { return .status(204, [:]) }
      return .ok("retry: 1\nid: 1\ndata: one\n\ndata: two\n\n", type: "text/event-stream")
    case ("GET", "/v1/lines"):
      return .ok("{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":\"b\"}\n", type: "application/jsonl")
    case ("POST", "/v1/zipped"): return .ok("\(request["Content-Encoding"] ?? "-") \(await request.body().count)")
    case ("GET", "/v1/moved"): return .redirect(to: "/v1/birds/7")
    case ("GET", "/v1/coded"):
      guard case .bytes(let coded)? = try? Body.text("curlew").gzipped().source else { return .status(500) }
      return .encoded([UInt8](coded), as: "gzip")
    default: return .status(404, "no")
    }
  }

  private func withSession(_ work: (HTTPSession, ScriptedOrigin) async throws -> Void) async throws {
    let origin = try await ScriptedOrigin.start { await Self.reply(to: $0) }
    try await work(try HTTPSession(baseURL: origin.address("/v1/")), origin)
    await origin.stop()
  }

  @Test func `README's first page is what an app writes`() async throws {
    let path = FileManager.default.temporaryDirectory.path + "/curlew-first-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await withSession { session, _ in
      let draft = Bird(id: 8, name: "Heron")
      let bird: Bird = try await session.get("birds/7")
      let made: Bird = try await session.post("birds", .json(draft))
      let feed = try await session.get("feed.xml", .xml)
      let config = try await session.get("config.yaml", .yaml(Config.self))
      #expect(bird == Bird(id: 7, name: "Curlew") && made == draft)
      #expect(feed.root.text == "Birds" && config.colour == "brown")

      let download = session.download("atlas.zip", to: path)
      var last: TransferProgress?
      for try await progress in download { last = progress }
      #expect(last?.completed == 100_000)
      #expect(try await download.value.length == 100_000)

      var events: [String] = []
      for try await event in session.serverSentEvents("stream") { events.append(event.data) }
      #expect(events == ["one", "two"])
    }
  }

  @Test func `a batch takes a session in the place of a loader`() async throws {
    let path = FileManager.default.temporaryDirectory.path + "/curlew-first-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await withSession { session, origin in
      let batch = try Batch(over: session)
      try await batch.add([.download("atlas", try Request(.get, origin.address("/v1/atlas.zip")), to: path)])
      #expect(try await batch.run().succeeded == 1)
      #expect(FileManager.default.contents(atPath: path)?.count == 100_000)
    }
  }

  @Test func `redirects, content codings, JSON lines and compressed bodies work without a word`() async throws {
    try await withSession { session, _ in
      #expect(try await session.get("moved", .json(Bird.self)).id == 7)
      #expect(try await session.get("coded", .string) == "curlew")
      var ids: [Int] = []
      for try await bird in session.jsonLines("lines", as: Bird.self) { ids.append(bird.id) }
      #expect(ids == [1, 2])
      let error = await #expect(throws: NetworkError.self) {
        for try await _ in session.jsonLines("lines", as: Int.self) {}
      }
      #expect(error?.kind == .serializationFailed && error?.details.underlying is JSONRecordError)
      #expect(
        error?.description.contains("/v1/lines: The response cannot be read as JSON Lines: line 1") == true,
        "\(error as Any)")
      let short = session.with { $0.lines.maximumBytes = 4 }
      let refusal = await #expect(throws: NetworkError.self) { for try await _ in short.lines("lines") {} }
      #expect(refusal?.kind == .lineTooLong && refusal?.details.request?.url.path().hasSuffix("/v1/lines") == true)
      let long = String(repeating: "curlew ", count: 1_000)
      let report = try await session.post("zipped", .text(long).gzipped(), .string)
      #expect(report.hasPrefix("gzip ") && !report.hasSuffix(" 7000"))
      let json = try await session.post("zipped", .json(long).gzipped(), .string)
      #expect(json.hasPrefix("gzip "))
    }
  }

  @Test func `a picture that many views want is asked for once`() async throws {
    let gate = OriginGate()
    let png = try #require(
      Data(
        base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR4nGNgAAIAAAUAAXpeqz8AAAAASUVORK5CYII="))
    let origin = try await ScriptedOrigin.start { _ in
      .ok([UInt8](png), type: "image/png", ["Cache-Control": "max-age=86400"]).pausing(at: gate)
    }
    let session = try HTTPSession(baseURL: origin.address("/")) { configuration in
      configuration.chain.caching = Caching(MemoryCacheStore())
    }
    let views = Task {
      try await withThrowingTaskGroup(of: EncodedImage.self) { group in
        for _ in 0..<20 { group.addTask { try await session.get("picture.png", .image) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    await origin.until { $0.requests > 0 }
    gate.open()
    let images = try await views.value
    #expect(images.count == 20 && Set(images).count == 1)
    #expect(images.first?.info.width == 1 && images.first?.bytes == png)
    _ = try await session.get("picture.png", .image)
    #expect(origin.requests.count == 1)
    await origin.stop()
  }

  @Test func `a session without a base URL takes whole URLs, and a bad base URL is an error`() async throws {
    try await withSession { _, origin in
      let bird: Bird = try await HTTPSession().get(origin.address("/v1/birds/7"))
      #expect(bird.id == 7)
    }
    #expect(throws: NetworkError.self) { try HTTPSession(baseURL: "birds/") }
  }
}
