import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct CacheRangeTests {
  private func scene(_ fields: HTTPFields = [.cacheControl: "max-age=100", .eTag: "\"a\""]) -> CacheScene {
    CacheScene { asked in
      asked.index == 0
        ? .bytes(Data("0123456789".utf8), headerFields: fields)
        : StubAnswer(.partialContent, headerFields: [.contentRange: "bytes 0-0/10"], body: [.bytes(Data("x".utf8))])
    }
  }

  @Test(arguments: [
    ("bytes=0-1", "01", "bytes 0-1/10"), ("bytes=-3", "789", "bytes 7-9/10"), ("bytes=8-", "89", "bytes 8-9/10"),
    ("bytes=5-99", "56789", "bytes 5-9/10"),
  ])
  func `a range is cut from a complete response`(_ range: String, _ text: String, _ described: String) async throws {
    let scene = scene()
    try await scene.get()
    let reply = try await scene.get([.range: range])
    #expect(reply.status == 206)
    #expect(reply.text == text)
    #expect(reply.fields[.contentRange] == described)
    #expect(reply.fields[.contentLength] == String(text.utf8.count))
    #expect(reply.source == .cache)
    #expect(scene.sent.all.count == 1)
  }

  @Test(arguments: ["bytes=0-1,3-4", "bytes=10-", "lines=1-2", "bytes=x"])
  func `what is not one range that can be satisfied goes to the server`(_ range: String) async throws {
    let scene = scene()
    try await scene.get()
    #expect(try await scene.get([.range: range]).source == .network)
  }

  @Test func `what a stored response cannot answer is not asked about`() async throws {
    let scene = scene()
    try await scene.get()
    try await scene.get([.range: "bytes=0-1,3-4"])
    #expect(scene.sent.all.last?.headerFields[.ifNoneMatch] == nil)
    #expect(scene.sent.all.count == 2)
  }

  @Test func `a part of another representation ends the stored one`() async throws {
    let scene = CacheScene { asked in
      asked.index == 0
        ? .bytes(Data("0123456789".utf8), headerFields: [.cacheControl: "max-age=1", .eTag: "\"a\""])
        : StubAnswer(
          .partialContent, headerFields: [.contentRange: "bytes 0-0/10", .eTag: "\"b\""],
          body: [.bytes(Data("x".utf8))])
    }
    try await scene.get()
    scene.pass(5)
    #expect(try await scene.get([.range: "bytes=0-0"]).text == "x")
    #expect(
      await Fixture.kind { try await scene.get { $0.options.cachePolicy = .returnStoredDontLoad } } == .notInCache)
  }

  @Test func `If-Range asks for all where the response is another`() async throws {
    let scene = scene()
    try await scene.get()
    #expect(try await scene.get([.range: "bytes=0-1", .ifRange: "\"a\""]).text == "01")
    #expect(try await scene.get([.range: "bytes=0-1", .ifRange: "\"b\""]).text == "0123456789")
    #expect(try await scene.get([.range: "bytes=0-1", .ifRange: "W/\"a\""]).text == "0123456789")
  }

  @Test func `uncoded content that was stored for an offer of codings answers who needs it uncoded`() async throws {
    let offer: HTTPFields = [.acceptEncoding: "gzip"]
    let scene = scene()
    try await scene.get(offer)
    let part = try await scene.get([.range: "bytes=2-3"])
    #expect(part.text == "23" && part.status == 206 && part.source == .cache)
    #expect(try await scene.get { $0.options.decodesContent = false }.source == .cache)
    #expect(try await scene.get([.authorization: "Basic YTpi", .range: "bytes=2-3"]).source == .network)
    for fields: HTTPFields in [[.contentEncoding: "gzip"], [.vary: "Accept-Encoding"]] {
      var fields = fields
      fields[.cacheControl] = "max-age=100"
      let scene = self.scene(fields)
      try await scene.get(offer)
      #expect(try await scene.get([.range: "bytes=2-3"]).source == .network)
      #expect(try await scene.get().source == .network)
    }
  }

  @Test func `coded content has no ranges here`() async throws {
    let scene = scene([.cacheControl: "max-age=100", .contentEncoding: "gzip"])
    try await scene.get()
    #expect(try await scene.get([.range: "bytes=0-1"]).source == .network)
  }

  @Test func `conditions of the app are answered from a fresh response`() async throws {
    let modified = CacheFixture.date(-500)
    let scene = scene([.cacheControl: "max-age=100", .eTag: "\"a\"", .lastModified: modified])
    try await scene.get()
    for fields in [
      [.ifNoneMatch: "\"a\""], [.ifNoneMatch: "\"x\", W/\"a\""], [.ifNoneMatch: "*"], [.ifModifiedSince: modified],
      [.ifModifiedSince: CacheFixture.date(-400)],
    ] as [HTTPFields] {
      let reply = try await scene.get(fields)
      #expect(reply.status == 304)
      #expect(reply.text.isEmpty)
      #expect(reply.fields[.eTag] == "\"a\"")
    }
    for fields in [
      [.ifNoneMatch: "\"b\""], [.ifNoneMatch: "\"b\"", .ifModifiedSince: modified],
      [.ifModifiedSince: CacheFixture.date(-600)], [.ifModifiedSince: "yesterday"],
    ] as [HTTPFields] {
      #expect(try await scene.get(fields).text == "0123456789")
    }
    #expect(scene.sent.all.count == 1)
    #expect(try await scene.get([.ifMatch: "\"a\""]).source == .network)
  }

  /// A scene whose origin has ten digits and no complete answer.
  private func parts(_ fields: HTTPFields, _ described: String = "bytes 2-6/10", _ text: String = "23456") -> CacheScene
  {
    CacheScene { asked in
      var fields = fields
      fields[.contentRange] = described
      return asked.request.headerFields[.range] == nil
        ? .bytes(Data("0123456789".utf8)) : .bytes(Data(text.utf8), status: .partialContent, headerFields: fields)
    }
  }

  @Test func `a stored part answers for the bytes that are in it`() async throws {
    let scene = parts([.cacheControl: "max-age=100", .eTag: "\"a\""])
    #expect(try await scene.get([.range: "bytes=2-6"]).source == .network)
    for (range, text, described) in [
      ("bytes=2-6", "23456", "bytes 2-6/10"), ("bytes=3-4", "34", "bytes 3-4/10"), ("bytes=6-6", "6", "bytes 6-6/10"),
    ] {
      let reply = try await scene.get([.range: range])
      #expect(reply.status == 206)
      #expect(reply.text == text)
      #expect(reply.fields[.contentRange] == described)
      #expect(reply.fields[.contentLength] == String(text.utf8.count))
      #expect(reply.source == .cache)
    }
    #expect(try await scene.get([.range: "bytes=3-4", .ifRange: "\"a\""]).source == .cache)
    #expect(scene.sent.all.count == 1)
    for fields in [
      [.range: "bytes=1-3"], [.range: "bytes=6-7"], [.range: "bytes=6-"], [.range: "bytes=2-3,5-6"],
      [.range: "bytes=3-4", .ifRange: "\"b\""], [:],
    ] as [HTTPFields] {
      #expect(try await scene.get(fields).source == .network)
    }
    try await scene.get([:], .post)
    #expect(try await scene.get([.range: "bytes=3-4"]).source == .network)
  }

  @Test func `HEAD has no ranges, whatever it says and whatever is stored`() async throws {
    let scene = parts([.cacheControl: "max-age=100", .eTag: "\"a\""])
    try await scene.get([.range: "bytes=2-6"])
    let missing = try await scene.get([.range: "bytes=2-6"], .head)
    #expect(missing.source == .network)
    let whole = self.scene()
    try await whole.get()
    let head = try await whole.get([.range: "bytes=2-6"], .head)
    #expect(head.source == .cache)
    #expect(head.status == 200)
    #expect(head.text.isEmpty)
  }

  @Test func `a part that contradicts itself, is coded or varies is not stored`() async throws {
    let fresh: HTTPFields = [.cacheControl: "max-age=100"]
    let scenes = [
      parts(fresh, "bytes 2-3/10"), parts(fresh, "bytes 6-2/10"), parts(fresh, "ananas"),
      parts([.cacheControl: "max-age=100", .contentEncoding: "gzip"]),
      parts([.cacheControl: "max-age=100", .vary: "Accept"]), parts([.cacheControl: "no-store"]),
    ]
    for scene in scenes {
      try await scene.get([.range: "bytes=2-6"])
      #expect(try await scene.get([.range: "bytes=2-6"]).source == .network)
    }
  }

  @Test func `a part without a total answers where both ends are asked for`() async throws {
    let scene = parts([.cacheControl: "max-age=100"], "bytes 2-6/*")
    try await scene.get([.range: "bytes=2-6"])
    #expect(try await scene.get([.range: "bytes=3-4"]).fields[.contentRange] == "bytes 3-4/*")
    #expect(try await scene.get([.range: "bytes=3-"]).source == .network)
    #expect(try await scene.get([.range: "bytes=-2"]).source == .network)
  }
}
