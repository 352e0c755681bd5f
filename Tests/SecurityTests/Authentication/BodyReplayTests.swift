import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSecurity

/// Bodies that have to be sent twice, and hashed before.
@Suite struct BodyReplayTests {
  private final class Chunks: BodyChunks {
    private let rest: Guarded<[Data]>
    init(_ chunks: [Data]) { rest = Guarded(chunks) }
    func next() async throws -> Data? { rest.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
  }

  private static func stream(_ text: String, replayable: Bool) -> Body {
    .stream(replayable: replayable) { Chunks(text.map { Data(String($0).utf8) }) }
  }

  private func post(_ body: Body, _ books: DigestBooks, _ app: App) async throws -> (status: Int, text: String) {
    let transport = StubTransport { asked in
      let (challenge, _) = books.judge(
        asked.request.headerFields[.authorization], method: "POST", target: "/a?b", body: Array(asked.body), reply: [])
      return challenge.map { .challenge($0) } ?? .text(String(decoding: asked.body, as: UTF8.self))
    }
    let request = Request(.post, try #require(URL(string: "https://a.example/a?b#c")), body: body)
    return try await app.load(request, Loader(transport, interceptors: [Authentication()]))
  }

  @Test(arguments: ["auth", "auth-int", "auth,auth-int"])
  func `every replayable body is hashed and sent again`(qop: String) async throws {
    let files = try TemporaryFile("0123456789")
    let bodies: [(Body, String)] = [
      (.empty, ""), (.text("hello"), "hello"), (try .file(files.url), "0123456789"),
      (try .file(files.url, range: 3..<7), "3456"), (Self.stream("streamed", replayable: true), "streamed"),
    ]
    for (body, text) in bodies {
      var rules = DigestBooks.Rules()
      rules.qop = qop
      let books = DigestBooks(rules)
      #expect(try await post(body, books, App(user: "wader", password: "sécret")) == (200, text))
      #expect(books.counts == [1, 0, 0])
    }
  }

  @Test func `a body that can be sent once is asked for again`() async throws {
    var app = App(user: "wader", password: "sécret")
    app.settings.hooks.newBody = { _ in Self.stream("once", replayable: false) }
    let books = DigestBooks()
    #expect(try await post(Self.stream("once", replayable: false), books, app) == (200, "once"))
    var rules = DigestBooks.Rules()
    rules.qop = "auth, auth-int"
    #expect(try await post(Self.stream("once", replayable: false), DigestBooks(rules), app) == (200, "once"))
  }

  @Test(arguments: [false, true])
  func `without a second copy, or with one that cannot be hashed, it fails with a typed error`(
    hasCopy: Bool
  ) async throws {
    var rules = DigestBooks.Rules()
    rules.qop = hasCopy ? "auth-int" : "auth"
    let books = DigestBooks(rules)
    var app = App(user: "wader", password: "sécret")
    if hasCopy { app.settings.hooks.newBody = { _ in Self.stream("once", replayable: false) } }
    let asking = app
    let error = await #expect(throws: NetworkError.self) {
      try await post(Self.stream("once", replayable: false), books, asking)
    }
    #expect(error?.kind == .bodyNotReplayable)
    #expect(books.counts == [0, 0, 0])
  }

  @Test func `a 401 that nobody answers asks for no second body`() async throws {
    var app = App()
    app.settings.hooks.newBody = { _ in
      Issue.record("asked for a body")
      return nil
    }
    #expect(try await post(Self.stream("once", replayable: false), DigestBooks(), app).status == 401)
  }
}

/// A file that goes with its owner.
final class TemporaryFile {
  let url: URL

  init(_ text: String) throws {
    url = URL(filePath: "/tmp/curlew-authentication-\(UInt64.random(in: .min ... .max))")
    try Data(text.utf8).write(to: url)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
