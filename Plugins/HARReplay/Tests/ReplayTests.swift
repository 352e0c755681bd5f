import CurlewCore
import CurlewCurlTransport
import CurlewHAR
import CurlewLoading
import CurlewReplay
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

@Suite struct ReplayTests {
  private let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "/curlew-replay-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private var path: String { folder + "/a.har" }

  private func post(_ text: String, token: String = "t1") throws -> Request {
    var request = try Request(.post, "http://example.com/birds?api_key=\(token)")
    request.headerFields[.authorization] = "Bearer \(token)"
    request.headerFields[.contentType] = "application/json"
    request.body = .text(text)
    return request
  }

  private func fetch(_ request: Request, _ transport: any Transport) async throws -> (ResponseHead, [Data], HTTPFields?)
  {
    let response = try await transport.send(request, in: Exchange())
    var pieces: [Data] = []
    for try await piece in response.body { pieces.append(piece) }
    return (response.head, pieces, response.body.trailers)
  }

  @Test func `heads, pieces, trailers and informational responses arrive again as they did`() async throws {
    var answer = StubAnswer(
      .created, headerFields: [.contentType: "text/plain", .eTag: "\"a\""],
      body: [.bytes(Data("one".utf8)), .bytes(Data([0xFF, 0])), .bytes(Data("three".utf8))], trailers: [.eTag: "\"b\""])
    answer.informational = [HTTPResponse(status: .init(code: 103), headerFields: [.vary: "a"])]
    let recorder = try HARRecordingTransport(StubTransport(answer), to: path)
    let first = try await fetch(post("{}"), recorder)
    await recorder.shutdown()
    let replay = try ReplayTransport(path)
    let observer = RecordingObserver()
    var settings = ExchangeSettings()
    settings.observers = [observer]
    let response = try await replay.send(post("{}", token: "another"), in: Exchange(settings))
    var pieces: [Data] = []
    for try await piece in response.body { pieces.append(piece) }
    #expect(response.head.status == first.0.status)
    #expect(response.head.headerFields == first.0.headerFields)
    #expect(pieces == first.1)
    #expect(response.body.trailers == first.2)
    #expect(observer.names.contains("informational"))
    #expect(replay.unused.isEmpty)
  }

  @Test func `what failed fails again, at the same place`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/cut"
        ? OriginReply(.head(200, ["Content-Length": "300000"]), .fill(.seeded(1), count: 200_000), .cut)
        : OriginReply(.cut)
    }
    let curl = try CurlTransport.curl()
    let recorder = try HARRecordingTransport(curl, to: path)
    var failures: [NetworkError.Kind] = []
    var counts: [Int] = []
    for transport in [recorder as any Transport, nil] {
      if transport == nil { await recorder.shutdown() }
      let transport = try transport ?? ReplayTransport(path)
      for place in ["/cut", "/none"] {
        var received = 0
        do {
          for try await piece in try await transport.send(Request(.get, origin.url(place)), in: Exchange()).body {
            received += piece.count
          }
        } catch let error as NetworkError { failures.append(error.kind) }
        counts.append(received)
      }
    }
    try #require(failures.count == 4)
    #expect(failures[0] == failures[2])
    #expect(failures[1] == failures[3])
    #expect(counts[0] > 0)
    #expect(counts == [counts[0], 0, counts[0], 0])
    await origin.stop()
  }

  @Test func `a request that differs is refused with each difference`() async throws {
    let recorder = try HARRecordingTransport(StubTransport(.text("hello")), to: path)
    _ = try await fetch(post(#"{"name":"curlew"}"#), recorder)
    await recorder.shutdown()
    let replay = try ReplayTransport(path)
    var other = try post(#"{"name":"gull"}"#)
    other.method = .put
    other.headerFields[.accept] = "text/plain"
    other.headerFields[.contentType] = nil
    let error = try await #require(throws: NetworkError.self) { try await fetch(other, replay) }
    #expect(error.kind == .notRecorded)
    for part in [
      "the method is PUT, not POST", "the field accept is new", "content-type is missing",
      "the content differs from byte 9",
    ] {
      #expect(error.message.lowercased().contains(part.lowercased()), "\(error)")
    }
    #expect(!error.message.contains("t1"))
    #expect(replay.unused.count == 1)
    _ = try await fetch(post(#"{"name":"curlew"}"#), replay)
    let second = await #expect(throws: NetworkError.self) { try await fetch(post(#"{"name":"curlew"}"#), replay) }
    #expect(second?.message.contains("all of its requests were answered") == true)
  }

  @Test func `missing requests are recorded, and the others are not sent`() async throws {
    let stub = StubTransport { asked in .text("answer \(asked.index)") }
    for round in 0..<2 {
      let replay = try ReplayTransport(path, mode: .recordMissing, over: Unending(stub))
      for index in 0...round {
        var request = try Request(.post, "http://example.com/\(index)")
        request.body = .stream(replayable: false) {
          AsyncBodyChunks(
            AsyncStream {
              $0.yield(Data("abc".utf8))
              $0.finish()
            })
        }
        let (_, pieces, _) = try await fetch(request, replay)
        #expect(pieces == [Data("answer \(index)".utf8)])
      }
      await replay.shutdown()
    }
    #expect(stub.requestCount == 2)
    #expect(try HARDocument(contentsOf: path).entries.count == 2)
    let replay = try ReplayTransport(path, mode: .record, over: stub)
    _ = try await fetch(Request(.get, "http://example.com/new"), replay)
    await replay.shutdown()
    #expect(try HARDocument(contentsOf: path).entries.count == 1)
    #expect(throws: NetworkError.self) { try ReplayTransport(path, mode: .record) }
  }

  @Test func `no secret is in a recording, in fields, URLs and content`() async throws {
    let stub = StubTransport { asked in
      switch asked.index {
      case 0:
        return .json(
          #"{"access_token":"s3cr3t","a":[{"password":["s3cr3t",{"x":"s3cr3t"}]}],"n":"kept","pi\u006e":1,"pass\u0077ord":"s3cr3t"}"#
        )
      case 1:
        return StubAnswer(
          headerFields: [.contentType: "application/x-www-form-urlencoded", .setCookie: "sid=s3cr3t"],
          body: [.bytes(Data("token=s3cr3t&kept=1&pass%77ord=s3cr3t".utf8))])
      case 2:
        return StubAnswer(headerFields: [.contentType: "application/xml"], body: [.bytes(Data("<a>s3cr3t</a>".utf8))])
      case 3: return .text("é kept=1&password=s3cr3t <a href='/?token=s3cr3t'>kept</a>")
      default: return StubAnswer(headerFields: [.contentEncoding: "x-own"], body: [.bytes(Data("s3cr3t".utf8))])
      }
    }
    let recorder = try HARRecordingTransport(stub, to: path)
    for index in 0..<5 {
      _ = try await fetch(post(#"{"client_secret": "s3cr3t", "n\#(index)": "kept"}"#, token: "s3cr3t"), recorder)
    }
    await recorder.shutdown()
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(!text.contains("s3cr3t"))
    #expect(text.contains("kept"))
    let entries = try HARDocument(contentsOf: path).entries
    #expect(entries[3].body == Data("é kept=1&password=****** <a href='/?token=******'>kept</a>".utf8))
    #expect(entries.map { $0.omission == nil } == [true, true, false, true, false])
    let replay = try ReplayTransport(path)
    let (head, pieces, _) = try await fetch(post(#"{"client_secret": "tell!!", "n0": "kept"}"#, token: "new"), replay)
    #expect(head.headerFields[.contentLength] == String(pieces.reduce(0) { $0 + $1.count }))
  }

  @Test func `links in strings of JSON have secrets too, with any escapes`() async throws {
    let content =
      #"{"a":"http:\/\/x\/?code=s3cr\/3t\u0026b=c&\u0074oken\u003ds\u00e93t\nkept","b":"token=\"kept\\","c":"sid=s"#
    let stub = StubTransport(.json(content))
    let recorder = try HARRecordingTransport(stub, to: path)
    _ = try await fetch(Request(.get, "http://example.com/"), recorder)
    await recorder.shutdown()
    let masked =
      #"{"a":"http:\/\/x\/?code=********\u0026b=c&\u0074oken\u003d*********\nkept","b":"token=\"kept\\","c":"sid=*"#
    #expect(try HARDocument(contentsOf: path).entries.first?.body == Data(masked.utf8))
  }

  @Test func `coded content is recorded decoded, so that secrets in it are found`() async throws {
    let plain = Data(#"{"token":"s3cr3t","name":"curlew"}"#.utf8)
    let file = folder + "/plain"
    try plain.write(to: URL(filePath: file))
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/gzip")
    process.arguments = [file]
    try process.run()
    process.waitUntilExit()
    let coded = try Data(contentsOf: URL(filePath: file + ".gz"))
    let stub = StubTransport(
      StubAnswer(headerFields: [.contentType: "application/json", .contentEncoding: "gzip"], body: [.bytes(coded)]))
    let recorder = try HARRecordingTransport(stub, to: path)
    let (_, live, _) = try await fetch(Request(.get, "http://example.com/"), recorder)
    #expect(live == [coded])
    await recorder.shutdown()
    let (head, pieces, _) = try await fetch(Request(.get, "http://example.com/"), ReplayTransport(path))
    #expect(head.headerFields[.contentEncoding] == nil)
    #expect(pieces == [Data(#"{"token":"******","name":"curlew"}"#.utf8)])
  }

  @Test func `a recording of another program is replayed by method and URL`() async throws {
    let har = """
      {"log":{"version":"1.2","creator":{"name":"Firefox","version":"1"},"entries":[{"startedDateTime":"2026-01-01T00:00:00Z","time":1,
      "request":{"method":"GET","url":"https://example.com/","httpVersion":"HTTP/2","headers":[{"name":":path","value":"/"}],
      "queryString":[],"cookies":[],"headersSize":1,"bodySize":0},"response":{"status":200,"statusText":"","httpVersion":"HTTP/2",
      "headers":[{"name":"content-encoding","value":"br"},{"name":"content-length","value":"3"}],"cookies":[],
      "content":{"mimeType":"text/plain","size":5,"encoding":"base64","text":"aGVsbG8="},"redirectURL":"","headersSize":1,"bodySize":3},
      "cache":{},"timings":{"send":0,"wait":1,"receive":0}}]}}
      """
    var options = ReplayTransport.Options()
    options.matching = .requestLine
    let replay = try ReplayTransport(HARDocument(Data(har.utf8)), options: options)
    var request = try Request(.get, "https://example.com/")
    request.headerFields[.userAgent] = "other"
    let (head, pieces, _) = try await fetch(request, replay)
    #expect(pieces == [Data("hello".utf8)])
    #expect(head.version == .http2)
    #expect(head.headerFields[.contentLength] == "5")
  }

  @Test func `times are kept if asked`() async throws {
    let recorder = try HARRecordingTransport(
      StubTransport(
        StubAnswer(body: [
          .bytes(Data("a".utf8)), .wait { try await Task.sleep(for: .milliseconds(60)) }, .bytes(Data("b".utf8)),
        ])),
      to: path)
    _ = try await fetch(Request(.get, "http://example.com/"), recorder)
    await recorder.shutdown()
    for keepsTimes in [false, true] {
      var options = ReplayTransport.Options()
      options.keepsTimes = keepsTimes
      let start = ContinuousClock.now
      _ = try await fetch(Request(.get, "http://example.com/"), ReplayTransport(path, options: options))
      if keepsTimes { #expect(start.duration(to: .now) >= .milliseconds(60)) }
    }
  }

  @Test func `times of a file that no clock has are limited`() throws {
    let har =
      #"{"log":{"version":"1.2","creator":{"name":"a","version":"1"},"entries":[{"request":{"method":"GET","#
      + #""url":"https://a.test/","headers":[]},"timings":{"wait":1e40,"send":-1e300},"_curlew":{"pieces":[[1,1e40],[1,-1]]}}]}}"#
    let entry = try #require(try HARDocument(Data(har.utf8)).entries.first)
    #expect(entry.untilHead == .seconds(1_000_000_000))
    #expect(entry.pieces.map(\.after) == [.seconds(1_000_000_000), .zero])
  }

  @Test func `content beyond the limit is left out, and its replay says so`() async throws {
    var options = HARRecordingTransport.Options()
    options.bodyLimit = 10
    let recorder = try HARRecordingTransport(StubTransport(.text("more than ten bytes")), to: path, options: options)
    let (_, live, _) = try await fetch(Request(.get, "http://example.com/"), recorder)
    #expect(live == [Data("more than ten bytes".utf8)])
    await recorder.shutdown()
    let error = await #expect(throws: NetworkError.self) {
      try await fetch(Request(.get, "http://example.com/"), ReplayTransport(path))
    }
    #expect(error?.kind == .notRecorded)
    #expect(error?.message.contains("longer than 10 bytes") == true)
  }

  @Test func `what a server echoes of the request's credentials is no secret left, nor a field's name in JSON`()
    async throws
  {
    let stub = StubTransport { asked in
      let token = asked.request.headerFields[.authorization]?.dropFirst(7) ?? ""
      return asked.index == 0
        ? .text("your token is \(token).")
        : .json(#"{"headers":{"Cookie":"a=s3cr3t","X-Api-Key":"s3cr3t","accessToken":"s3cr3t"},"n":"kept"}"#)
    }
    let recorder = try HARRecordingTransport(stub, to: path)
    for _ in 0..<2 { _ = try await fetch(post("{}", token: "ghp_s3cr3t-s3cr3t"), recorder) }
    await recorder.shutdown()
    let entries = try HARDocument(contentsOf: path).entries
    #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("s3cr3t"))
    #expect(entries.first?.body == Data("your token is *****************.".utf8))
    #expect(
      entries.last?.body
        == Data(#"{"headers":{"Cookie":"********","X-Api-Key":"******","accessToken":"******"},"n":"kept"}"#.utf8))
  }

  @Test func `a secret of another length is the same request`() async throws {
    let recorder = try HARRecordingTransport(StubTransport(.text("hello")), to: path)
    _ = try await fetch(post(#"{"password":"s3cr3t","name":"curlew"}"#), recorder)
    await recorder.shutdown()
    _ = try await fetch(post(#"{"password":"a longer one","name":"curlew"}"#, token: "other"), ReplayTransport(path))
    await #expect(throws: NetworkError.self) {
      try await fetch(post(#"{"password":"s3cr3t","name":"gull"}"#), ReplayTransport(path))
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `10,000 recorded requests are answered at once, in any order, each once`() async throws {
    let recorder = try HARRecordingTransport(StubTransport { .text("\($0.request.url.path())") }, to: path)
    for index in 0..<10_000 { _ = try await fetch(Request(.get, "http://example.com/\(index)"), recorder) }
    await recorder.shutdown()
    let replay = try ReplayTransport(path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for part in 0..<8 {
        group.addTask {
          for index in stride(from: 9_999 - part, through: 0, by: -8) {
            let (_, pieces, _) = try await fetch(Request(.get, "http://example.com/\(index)"), replay)
            #expect(pieces == [Data("/\(index)".utf8)])
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(replay.unused.isEmpty)
  }

  @Test(.replay("hello")) func `a test with the trait gets its recording`() async throws {
    let (_, pieces, _) = try await fetch(Request(.get, "http://example.com/hello"), Replay.transport)
    #expect(pieces == [Data("hello".utf8)])
  }

  @Test func `a test without the trait is told so, and one that leaves requests out fails`() async throws {
    #expect(throws: NetworkError.self) { try Replay.transport }
    let trait = ReplayTrait.replay("hello")
    let test = try #require(Test.current)
    await withKnownIssue {
      try await trait.provideScope(for: test, testCase: nil) {}
    }
  }

  @Test func `a function gets a recording for XCTest`() async throws {
    let text = try await withReplay("hello") { transport in
      try await transport.send(Request(.get, "http://example.com/hello"), in: Exchange()).body.collect(upTo: 10)
    }
    #expect(text == Data("hello".utf8))
    await #expect(throws: (any Error).self) { try await withReplay("missing") { _ in } }
  }
}
