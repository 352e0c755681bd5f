import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct CachingTests {
  private let other = URL(string: "http://stub.test/other") ?? Fixture.url

  @Test func `a fresh response is given again with its age, and a stale one is not`() async throws {
    let scene = CacheScene([.cacheControl: "max-age=10"])
    #expect(try await scene.get().source == .network)
    scene.pass(4)
    let hit = try await scene.get()
    #expect(hit.text == "body 0")
    #expect(hit.source == .cache)
    #expect(hit.fields[.age] == "4")
    scene.pass(6)
    #expect(try await scene.get().text == "body 1")
    #expect(try await scene.get().text == "body 1")
    #expect(scene.sent.all.count == 2)
  }

  @Test func `a stale response is asked about with its validators, and a 304 makes it fresh`() async throws {
    let modified = CacheFixture.date(-1000)
    let scene = CacheScene { asked in
      guard asked.index > 0 else {
        return StubAnswer(
          headerFields: [.cacheControl: "max-age=1", .eTag: "\"a\"", .lastModified: modified, .setCookie: "old=1"],
          body: [.bytes(Data("kept".utf8))])
      }
      return StubAnswer(.notModified, headerFields: [.eTag: "\"a\"", .cacheControl: "max-age=5", .server: "new"])
    }
    try await scene.get()
    scene.pass(2)
    let validated = try await scene.get()
    #expect(validated.text == "kept")
    #expect(validated.status == 200)
    #expect(validated.source == .validated)
    #expect(validated.fields[.server] == "new")
    #expect(validated.fields[.setCookie] == nil)
    #expect(scene.sent.all.last?.headerFields[.ifNoneMatch] == "\"a\"")
    #expect(scene.sent.all.last?.headerFields[.ifModifiedSince] == modified)
    scene.pass(4)
    #expect(try await scene.get().source == .cache)
    #expect(scene.sent.all.count == 2)
  }

  @Test(arguments: [HTTPRequest.Method.get, .head])
  func `what is about another version does not make a stored one fresh`(method: HTTPRequest.Method) async throws {
    let scene = CacheScene { asked in
      guard asked.index == 1 else {
        return StubAnswer(
          headerFields: [.cacheControl: "max-age=1", .eTag: asked.index == 0 ? "\"a\"" : "\"b\""],
          body: [.bytes(Data("body \(asked.index)".utf8))])
      }
      return StubAnswer(
        method == .get ? .notModified : .ok,
        headerFields: [.cacheControl: "max-age=3600", .lastModified: CacheFixture.date(-1)])
    }
    #expect(try await scene.get().text == "body 0")
    scene.pass(2)
    // The app has a newer version than the cache, or looks whether there is one.
    #expect(try await scene.get(method == .get ? [.ifNoneMatch: "\"b\""] : [:], method).source == .network)
    #expect(try await scene.get().text == "body 2")
  }

  /// RFC 9111 §3.2 lets a 304 update what is stored, §5.2.2.5 keeps the result from being stored.
  @Test(
    arguments: CacheFixture.Store.allCases,
    [
      [.cacheControl: "no-store, max-age=100"], [.cacheControl: "max-age=100", .vary: "*"],
      [.cacheControl: "max-age=100", .vary: "Accept-Language"],
    ] as [HTTPFields])
  func `a 304 that forbids to store, or makes the response depend on more, answers once`(
    kind: CacheFixture.Store, fields: HTTPFields
  ) async throws {
    let scene = CacheScene(try kind.make()) { asked in
      var head = fields
      head[.eTag] = "\"a\""
      if asked.request.headerFields[.ifNoneMatch] != nil { return StubAnswer(.notModified, headerFields: head) }
      return StubAnswer(
        headerFields: [.cacheControl: "max-age=0", .eTag: "\"a\""], body: [.bytes(Data("body \(asked.index)".utf8))])
    }
    try await scene.get()
    let validated = try await scene.get()
    #expect(validated.text == "body 0" && validated.source == .validated)
    #expect(try await scene.get().text == "body 2")
    #expect(scene.sent.all.count == 3)
  }

  @Test func `a HEAD that forbids to store removes what is stored`() async throws {
    let scene = CacheScene { asked in
      let isHead = asked.request.method == .head
      return StubAnswer(
        headerFields: [.cacheControl: isHead ? "no-store" : "max-age=100"],
        body: isHead ? [] : [.bytes(Data("body \(asked.index)".utf8))])
    }
    try await scene.get()
    try await scene.get([:], .head) { $0.options.cachePolicy = .reload }
    #expect(try await scene.get().text == "body 0")
    try await scene.get([:], .head) { $0.options.cachePolicy = .revalidate }
    #expect(try await scene.get().text == "body 3")
  }

  @Test func `a tag that is not UTF-8 is sent back as it came`() async throws {
    let tag: [UInt8] = [0x22, 0xe9, 0xff, 0x22]
    let scene = CacheScene { asked in
      asked.index == 0
        ? StubAnswer(
          headerFields: [.cacheControl: "max-age=0"] + HTTPFields([HTTPField(name: .eTag, lenientValue: tag)]),
          body: [.bytes(Data("body".utf8))])
        : StubAnswer(.notModified)
    }
    try await scene.get()
    #expect(try await scene.get().source == .validated)
    let condition = scene.sent.all.last?.headerFields.first { $0.name == .ifNoneMatch }
    #expect(condition?.withUnsafeBytesOfValue { Array($0) } == tag)
  }

  @Test func `a 304 of something else is not believed`() async throws {
    let scene = CacheScene { asked in
      let isConditional = asked.request.headerFields[.ifNoneMatch] != nil
      return isConditional
        ? StubAnswer(.notModified, headerFields: [.eTag: "\"b\""])
        : StubAnswer(
          headerFields: [.cacheControl: "max-age=1", .eTag: "\"a\""], body: [.bytes(Data("body \(asked.index)".utf8))])
    }
    try await scene.get()
    scene.pass(2)
    let reply = try await scene.get()
    #expect(reply.text == "body 2")
    #expect(reply.source == .network)
  }

  @Test func `a body that is cut, given up or too long is not stored`() async throws {
    let scene = CacheScene(MemoryCacheStore(capacity: 1 << 20, entryLimit: 100)) { asked in
      let body: [StubAnswer.Step] =
        switch asked.index {
        case 0: [.bytes(Data("half".utf8)), .failure(Fixture.lost(.truncatedBody))]
        case 1: [.bytes(Data("half".utf8)), .bytes(Data("rest".utf8))]
        case 2: [.repeated(Data(count: 60), count: 2)]
        default: [.bytes(Data("whole".utf8))]
        }
      var answer = StubAnswer(headerFields: [.cacheControl: "max-age=10"], body: body)
      answer.announcesLength = false
      return answer
    }
    #expect(await Fixture.kind { try await scene.get() } == .truncatedBody)
    do {
      let response = try await scene.begin()
      var chunks = response.body.makeAsyncIterator()
      #expect(try await chunks.next() == Data("half".utf8))
    }
    #expect(try await scene.get().text.utf8.count == 120)
    #expect(try await scene.get().text == "whole")
    #expect(try await scene.get().source == .cache)
    #expect(scene.sent.all.count == 4)
  }

  @Test func `a drained body is stored as a read one is`() async throws {
    let scene = CacheScene([.cacheControl: "max-age=10"])
    let sink = KeepingSink(waitsAtEach: true)
    try await scene.begin().body.drain(into: sink)
    #expect(sink.bytes == Data("body 0".utf8))
    #expect(try await scene.get().source == .cache)
    struct Refusal: Error {}
    let failing = CacheScene([.cacheControl: "max-age=10"])
    await #expect(throws: Refusal.self) {
      try await failing.begin().body.drain(into: KeepingSink(failing: Refusal()))
    }
    #expect(try await failing.get().source == .network)
  }

  @Test func `a body of no bytes needs no reader to be stored`() async throws {
    let scene = CacheScene { _ in StubAnswer(.noContent, headerFields: [.cacheControl: "max-age=10"]) }
    _ = try await scene.begin()
    #expect(try await scene.get().source == .cache)
  }

  @Test func `the app has the last word at the end of the body`() async throws {
    let scene = CacheScene([.cacheControl: "max-age=10"])
    var hooks = ExchangeHooks()
    hooks.storeInCache = { _ in .refuse }
    try await scene.get(hooks: hooks)
    #expect(try await scene.get(hooks: hooks).source == .network)
    hooks.storeInCache = { head in
      var head = head
      head.headerFields[.server] = "mine"
      return .change(head)
    }
    #expect(try await scene.get(hooks: hooks).fields[.server] == nil)
    let hit = try await scene.get()
    #expect(hit.source == .cache)
    #expect(hit.fields[.server] == "mine")
    #expect(hit.text == "body 2")
  }

  @Test func `other methods invalidate what they succeed on, and where they point on the same origin`() async throws {
    let scene = CacheScene { asked in
      switch asked.request.method {
      case .get: .bytes(Data("body \(asked.index)".utf8), headerFields: [.cacheControl: "max-age=100"])
      case .delete: StubAnswer(.internalServerError)
      default: StubAnswer(.created, headerFields: [.location: "/other", .contentLocation: "http://elsewhere.test/"])
      }
    }
    let elsewhere = try #require(URL(string: "http://elsewhere.test/"))
    for url in [Fixture.url, other, elsewhere] { try await scene.get(at: url) }
    try await scene.get([:], .delete)
    #expect(try await scene.get().source == .cache)
    try await scene.get([:], .post)
    #expect(try await scene.get().source == .network)
    #expect(try await scene.get(at: other).source == .network)
    #expect(try await scene.get(at: elsewhere).source == .cache)
  }

  @Test func `what was asked before a change is not stored after it`() async throws {
    let scene = CacheScene { asked in
      asked.request.method == .get
        ? .bytes(Data("body \(asked.index)".utf8), headerFields: [.cacheControl: "max-age=100"])
        : StubAnswer(.noContent)
    }
    let response = try await scene.begin()
    try await scene.get([:], .put)
    #expect(try await response.body.collect(upTo: 100) == Data("body 0".utf8))
    #expect(try await scene.get().text == "body 2")
  }

  @Test func `variants are kept side by side`() async throws {
    let scene = CacheScene([.cacheControl: "max-age=100", .vary: "Accept-Language, X-Kind"])
    let kind = try #require(HTTPField.Name("X-Kind"))
    #expect(try await scene.get([.acceptLanguage: "en"]).text == "body 0")
    #expect(try await scene.get([.acceptLanguage: "de"]).text == "body 1")
    #expect(try await scene.get([.acceptLanguage: "en", kind: "1"]).text == "body 2")
    #expect(try await scene.get().text == "body 3")
    #expect(try await scene.get([.acceptLanguage: "EN"]).text == "body 0")
    #expect(try await scene.get([.acceptLanguage: "de"]).text == "body 1")
    #expect(try await scene.get([.acceptLanguage: "en", kind: "1"]).text == "body 2")
    #expect(try await scene.get().text == "body 3")
    try await scene.get([:], .post)
    #expect(try await scene.get([.acceptLanguage: "de"]).source == .network)
  }

  @Test func `HEAD is answered by a stored GET and tells what changed`() async throws {
    let scene = CacheScene { asked in
      StubAnswer(
        headerFields: [
          .cacheControl: "max-age=10", .eTag: asked.index < 2 ? "\"a\"" : "\"b\"", .server: "\(asked.index)",
        ], body: [.bytes(Data("body".utf8))])
    }
    try await scene.get()
    let head = try await scene.get([:], .head)
    #expect(head.source == .cache)
    #expect(head.text.isEmpty)
    #expect(head.fields[.contentLength] == "4")
    scene.pass(20)
    #expect(try await scene.get([:], .head).source == .network)
    #expect(try await scene.get().fields[.server] == "1")
    scene.pass(20)
    try await scene.get([:], .head)
    #expect(try await scene.get().fields[.server] == "3")
  }
}
