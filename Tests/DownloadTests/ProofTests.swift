import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewDownload

/// Servers that send something else after a download was interrupted: the download ends with one of the server's files, or with no file.
@Suite(.timeLimit(.minutes(10))) struct ProofTests {
  static let old = Data(SeededResource(length: 9_000, seed: 1).bytes(count: 9_000))
  static let new = Data(SeededResource(length: 9_000, seed: 2).bytes(count: 9_000))
  static let firstDate = "Sun, 01 Nov 2026 10:00:00 GMT"
  static let nextDate = "Mon, 02 Nov 2026 10:00:00 GMT"
  static let sent = "Fri, 20 Nov 2026 10:00:00 GMT"

  /// An answer with a file, or with the rest of it.
  struct Reply {
    var file = ProofTests.old
    var tag: String? = "\"v1\""
    var date: String? = ProofTests.firstDate
    /// The offset of a 206; nil for a 200.
    var start: Int?
    /// How many bytes of the file come before the connection is lost.
    var lost: Int?
    /// How many bytes of the file come before the body ends as if it were whole.
    var ended: Int?
    var statesLength = true
    var status: HTTPResponse.Status?

    var answer: StubAnswer {
      var fields: HTTPFields = [.date: ProofTests.sent]
      fields[.eTag] = tag
      fields[.lastModified] = date
      let from = start ?? 0
      if start != nil { fields[.contentRange] = "bytes \(from)-\(file.count - 1)/\(file.count)" }
      if statesLength { fields[.contentLength] = "\(file.count - from)" }
      let end = lost ?? ended ?? file.count
      var body: [StubAnswer.Step] = from < end ? [.bytes(file[from..<end])] : []
      if lost != nil {
        body.append(.failure(NetworkError(.connectionLost, stage: .receivingBody, message: "Lost.")))
      }
      var answer = StubAnswer(status ?? (start == nil ? .ok : .partialContent), headerFields: fields, body: body)
      answer.announcesLength = false
      return answer
    }
  }

  private static func offset(_ request: Request) -> Int? {
    request.headerFields[.range].flatMap { Int($0.dropFirst(6).dropLast()) }
  }

  /// What a server does after it has sent the first 4,000 bytes of the old file.
  struct Server: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The answer to each later request.
    let reply: @Sendable (Int?) -> StubAnswer
    /// What the file must be; nil for none.
    let right: Data?

    init(_ name: String, right: Data?, _ reply: @escaping @Sendable (Int?) -> Reply) {
      testDescription = name
      self.right = right
      self.reply = { reply($0).answer }
    }
  }

  static let servers: [Server] = [
    Server("the rest of the same file", right: old) { Reply(start: $0) },
    Server("the rest without the date beside the tag", right: old) { Reply(date: nil, start: $0) },
    Server("the rest of another file without a tag and with another date", right: new) {
      Reply(file: new, tag: $0 == nil ? "\"v2\"" : nil, date: nextDate, start: $0)
    },
    Server("the rest of another file without tag and date", right: new) {
      Reply(file: new, tag: $0 == nil ? "\"v2\"" : nil, date: $0 == nil ? nextDate : nil, start: $0)
    },
    Server("the rest of another file with the same date and no tag", right: new) {
      Reply(file: new, tag: $0 == nil ? "\"v2\"" : nil, start: $0)
    },
    Server("the rest of another file with the same tag and another date", right: new) {
      Reply(file: new, date: nextDate, start: $0)
    },
    Server("nothing (204)", right: nil) { _ in Reply(file: Data(), statesLength: false, status: .noContent) },
    Server("nothing (205)", right: nil) { _ in Reply(file: Data(), status: .resetContent) },
    Server("a note that the file is being made (202)", right: nil) { _ in
      Reply(file: Data("wait".utf8), tag: nil, date: nil, status: .accepted)
    },
    Server("the whole without a length, and less of it than before", right: nil) { _ in
      Reply(ended: 2_000, statesLength: false)
    },
    Server("the whole without length and validators, and less of it than before", right: nil) { _ in
      Reply(tag: nil, date: nil, ended: 2_000, statesLength: false)
    },
    Server("the whole without a length", right: old) { _ in Reply(statesLength: false) },
    Server("another file without a length, and a shorter one", right: new.prefix(3_000)) { _ in
      Reply(file: new.prefix(3_000), tag: "\"v2\"", date: nextDate, statesLength: false)
    },
    Server("a shorter file that says how long it is, under the same tag", right: new.prefix(3_000)) { offset in
      Reply(file: new.prefix(3_000))
    },
  ]

  @Test func `a tag of other bytes is another version, and one that is not UTF-8 is none`() throws {
    func head(_ bytes: [UInt8]) throws -> ResponseHead {
      var head = ResponseHead(url: try Request(.get, "http://a.test/").url, status: .ok)
      head.headerFields.append(HTTPField(name: .eTag, value: Array("\"".utf8) + bytes + Array("\"".utf8)))
      return head
    }
    let validator = try #require(EntityValidator(head(Array("caf\u{E9}".utf8))))
    #expect(try validator.matches(head(Array("caf\u{E9}".utf8))) == true)
    #expect(try validator.matches(head(Array("cafe\u{301}".utf8))) == false)
    #expect(try EntityValidator(head([0x61, 0xE9])) == nil)
  }

  @Test(arguments: Self.servers)
  func `a download that goes on is the server's file or nothing`(server: Server) async throws {
    let site = try Site()
    let stub = StubTransport { asked in
      asked.index == 0 ? Reply(lost: 4_000).answer : server.reply(Self.offset(asked.request))
    }
    let outcome = await site.download(Loader(stub), TwoVersions.url) {
      $0.retry = RetryPolicy(limit: 2, delay: .fixed(.zero))
    }.outcomeOfRun
    #expect(site.contents().map { Data($0) } == server.right, "\(String(describing: outcome.error))")
    #expect((outcome.error == nil) == (server.right != nil))
    if server.testDescription.contains("(20") {
      // What is not the file leaves the bytes for a better time.
      #expect(site.kept()?.count == 4_000 && stub.requestCount == 2)
    }
    #expect(site.kept().map { Self.old.starts(with: $0) } ?? true)
  }

  @Test func `a date that was the only validator must come again`() async throws {
    for (tag, date, joins) in [
      (nil, Self.firstDate, true), (nil, nil, false), ("\"v1\"", Self.firstDate, true), (nil, Self.nextDate, false),
    ] as [(String?, String?, Bool)] {
      let site = try Site()
      let stub = StubTransport { asked in
        guard asked.index > 0 else { return Reply(tag: nil, lost: 4_000).answer }
        guard let offset = Self.offset(asked.request) else { return Reply(file: Self.new, tag: nil).answer }
        return Reply(tag: tag, date: date, start: offset).answer
      }
      let outcome = await site.download(Loader(stub), TwoVersions.url) {
        $0.retry = RetryPolicy(limit: 1, delay: .fixed(.zero))
      }.outcomeOfRun
      #expect(outcome.error == nil && site.contents().map { Data($0) } == (joins ? Self.old : Self.new))
    }
  }

  /// Where the request for the file is sent to; the second place has another file with the same tag, date and length.
  @Test(arguments: ["http://a.test/f", "http://b.test/f", "http://a.test/g", "http://a.test/f?v=2"])
  func `bytes from one URL are not joined with those that a redirect leads to elsewhere`(place: String) async throws {
    let site = try Site()
    let stub = StubTransport { asked in
      let url = asked.request.url.absoluteString
      guard url != TwoVersions.url.absoluteString else {
        return StubAnswer(.found, headerFields: [.location: asked.index == 0 ? "http://a.test/f" : place])
      }
      let isSame = url == "http://a.test/f"
      if asked.index == 1 { return Reply(lost: 4_000).answer }
      return Reply(file: isSame ? Self.old : Self.new, start: Self.offset(asked.request)).answer
    }
    let loader = Loader(stub, chain: InterceptorChain(redirect: Redirect()))
    let outcome = await site.download(loader, TwoVersions.url) {
      $0.retry = RetryPolicy(limit: 1, delay: .fixed(.zero))
    }.outcomeOfRun
    #expect(outcome.error == nil)
    #expect(site.contents().map { Data($0) } == (place == "http://a.test/f" ? Self.old : Self.new))
    let resumedFrom = try outcome.get().resumedFrom
    #expect(resumedFrom == 0, "the bytes came with this download")
    #expect(stub.requestCount == (place == "http://a.test/f" ? 4 : 6))
  }

  @Test func `a digest of the whole file lets bytes of two URLs be joined`() async throws {
    let site = try Site()
    let stub = StubTransport { asked in
      asked.index == 0 ? Reply(lost: 4_000).answer : Reply(start: Self.offset(asked.request)).answer
    }
    let expected = try digest([UInt8](Self.old))
    _ = await site.download(Loader(stub), TwoVersions.url).outcomeOfRun
    let other = try #require(URL(string: "http://mirror.test/f"))
    let result = try await site.download(Loader(stub), other) { $0.file.verification.expected = expected }.run()
    #expect(result.resumedFrom == 4_000 && site.contents().map { Data($0) } == Self.old)
  }

  @Test func `a renewed link leads to the bytes of the earlier one if the version is the same`() async throws {
    for (tag, joins) in [("\"v1\"", true), ("\"v2\"", false)] {
      let site = try Site()
      let stub = StubTransport { asked in
        guard asked.index > 0 else { return Reply(lost: 4_000).answer }
        return Reply(tag: tag, start: joins ? Self.offset(asked.request) : nil).answer
      }
      var results: [TransferOutcome<DownloadResult>] = []
      for number in 1...2 {
        let url = try #require(URL(string: "http://stub.test/f?expires=\(number)"))
        var configuration = DownloadConfiguration(
          request: { _ in Request(.get, url) }, to: .directory("/d", identifier: "f"))
        configuration.retry = nil
        results.append(await Downloader(Loader(stub), configuration, on: site.disk).outcomeOfRun)
      }
      let resumedFrom = try results[1].get().resumedFrom
      #expect(results[0].error != nil && resumedFrom == (joins ? 4_000 : 0))
      #expect(site.contents("/d/f") == [UInt8](Self.old))
    }
  }

  @Test func `files whose URLs differ in the query have their own partial files`() async throws {
    let site = try Site()
    let stub = StubTransport { asked in
      // The first request of each loses its connection; both files have the same tag, date and length.
      let file = asked.request.url.query() == "id=1" ? Self.old : Self.new
      return Reply(file: file, start: Self.offset(asked.request), lost: asked.index < 2 ? 4_000 : nil).answer
    }
    for round in 0..<2 {
      for number in 1...2 {
        let url = try #require(URL(string: "http://stub.test/f?id=\(number)"))
        var configuration = site.configuration(url, to: .chosen(partialIn: "/d") { _ in "/d/\(number)" })
        configuration.file.collision = .replace
        let outcome = await Downloader(Loader(stub), configuration, on: site.disk).outcomeOfRun
        #expect((outcome.error == nil) == (round == 1))
        if round == 1 { #expect(try outcome.get().resumedFrom == 4_000) }
      }
    }
    #expect(site.contents("/d/1") == [UInt8](Self.old) && site.contents("/d/2") == [UInt8](Self.new))
    #expect(try site.names() == ["1", "2"])
  }

  @Test func `a 416 without a validator ends no file whose length was never known`() async throws {
    let site = try Site()
    // Five thousand bytes of the old file were kept, and the new one has just that length.
    let stub = StubTransport { asked in
      if asked.index == 0 { return Reply(lost: 5_000, statesLength: false).answer }
      guard Self.offset(asked.request) != nil else { return Reply(file: Self.new.prefix(5_000), tag: "\"v2\"").answer }
      return StubAnswer(.rangeNotSatisfiable, headerFields: [.contentRange: "bytes */5000"])
    }
    let outcome = await site.download(Loader(stub), TwoVersions.url) {
      $0.retry = RetryPolicy(limit: 1, delay: .fixed(.zero))
    }.outcomeOfRun
    #expect(outcome.error == nil && site.contents().map { Data($0) } == Self.new.prefix(5_000))
  }

  @Test(arguments: [4_097, 70_000])
  func `a tag or a URL that is too long to keep does not prevent a download`(length: Int) async throws {
    let site = try Site()
    let long = String(repeating: "e", count: length)
    let stub = StubTransport { asked in
      Reply(tag: "\"\(long)\"", lost: asked.index == 0 ? 4_000 : nil).answer
    }
    let url = try #require(URL(string: "http://stub.test/\(long)?\(long)"))
    let outcome = await site.download(Loader(stub), url) {
      $0.retry = RetryPolicy(limit: 1, delay: .fixed(.zero))
    }.outcomeOfRun
    #expect(outcome.error == nil, "\(String(describing: outcome.error))")
    #expect(site.contents().map { Data($0) } == Self.old)
  }
}
