import CurlewCore
import CurlewCurlTransport
import CurlewJSON
import CurlewLoading
import CurlewTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import CurlewHAR

@Suite struct HARRecorderTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/a.har" }

  init() throws { folder = try TemporaryFolder() }

  /// The entries of the file once all are written.
  private func entries(_ recorder: HARRecorder) throws -> [JSONValue] {
    recorder.close()
    return try #require(JSONValue(parsing: Data(contentsOf: URL(filePath: path)))["log"]?["entries"]?.arrayValue)
  }

  private func observed(by recorder: HARRecorder) -> Exchange {
    var settings = ExchangeSettings()
    settings.observers = [recorder]
    return Exchange(settings)
  }

  private func load(_ request: Request, _ loader: Loader, _ recorder: HARRecorder) async throws {
    _ = try await loader.load(request, in: observed(by: recorder)).body.collect(upTo: 1 << 20)
  }

  @Test func `each hop is an entry with its phases, sizes and place in the request`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/first" ? .redirect(to: "/next?a=b&c=d+e") : .ok("hello")
    }
    let recorder = try HARRecorder(path)
    let transport = try CurlTransport.curl()
    let loader = Loader(transport, chain: InterceptorChain(redirect: Redirect()))
    try await load(Request(.get, origin.url("/first")), loader, recorder)
    let entries = try entries(recorder)
    try #require(entries.count == 2)
    #expect(recorder.entryCount == 2)
    #expect(entries[0]["_curlew"]?["next"]?.stringValue == "redirect")
    #expect(entries[0]["response"]?["redirectURL"]?.stringValue == "/next?a=b&c=d+e")
    #expect(entries[1]["_curlew"]?["hop"]?.intValue == 1)
    #expect(entries[1]["_curlew"]?["reused"]?.boolValue == true)
    #expect(entries[1]["response"]?["status"]?.intValue == 200)
    #expect(entries[1]["response"]?["bodySize"]?.intValue == 5)
    #expect(entries[1]["response"]?["content"]?["size"]?.intValue == 5)
    #expect(entries[1]["request"]?["httpVersion"]?.stringValue == "HTTP/1.1")
    #expect(entries[1]["request"]?["queryString"]?[1]?["value"]?.stringValue == "d e")
    #expect(entries[1]["serverIPAddress"]?.stringValue == "127.0.0.1")
    #expect(entries[0]["connection"] == entries[1]["connection"])
    let parts = ["blocked", "dns", "connect", "send", "wait", "receive"].compactMap {
      entries[1]["timings"]?[$0]?.doubleValue
    }
    let sum = parts.filter { $0 > 0 }.reduce(0, +)
    #expect(abs(sum - (entries[1]["time"]?.doubleValue ?? 0)) < 0.01)
    #expect(
      InternetDate.parse(try #require(entries[0]["startedDateTime"]?.stringValue)).map {
        abs($0.timeIntervalSinceNow) < 3_600
      } == true)
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a request that is sent again, retried or fails is told with its reason`() async throws {
    let recorder = try HARRecorder(path)
    let lost = NetworkError(.connectionLost, stage: .awaitingHead, message: "The connection was lost.")
    let failing = FailingTransport(
      StubTransport(.text("hello")), script: [.beforeHead(lost), .beforeHead(lost), .none])
    await #expect(throws: NetworkError.self) {
      try await load(Request(.get, "http://example.com/"), Loader(failing), recorder)
    }
    await #expect(throws: NetworkError.self) {
      try await load(Request(.get, "ftp://example.com/"), Loader(failing), recorder)
    }
    let entries = try entries(recorder)
    try #require(entries.count == 3)
    #expect(entries[0]["_curlew"]?["next"]?.stringValue == "resend")
    #expect(entries[0]["_curlew"]?["error"]?["kind"]?.stringValue == "connection-lost")
    #expect(entries[1]["_curlew"]?["error"]?["stage"]?.stringValue == "awaiting-head")
    #expect(entries[1]["response"]?["_error"]?.stringValue == "The connection was lost.")
    #expect(entries[2]["_curlew"]?["error"]?["kind"]?.stringValue == "invalid-url")
    #expect(entries[2]["response"]?["status"]?.intValue == 0)
  }

  @Test func `a pause is in the entry that it held, with its time`() async throws {
    let recorder = try HARRecorder(path)
    let gate = ManualGate()
    let held = StubAnswer(body: [.wait { try await gate.wait() }, .bytes(Data("hello".utf8))])
    var settings = ExchangeSettings()
    settings.observers = [recorder]
    let transfer = Transfer(
      Loader(StubTransport(held)), try Request(.get, "http://example.com/"), to: .memory(limit: 100),
      settings: settings)
    transfer.start()
    try await gate.waitForArrivals()
    let begin = ContinuousClock.now
    #expect(transfer.pause())
    gate.open()
    // Sleeps because the length of a pause is measured.
    try await Task.sleep(for: .milliseconds(30))
    #expect(transfer.resume())
    _ = try await transfer.value
    let most = begin.duration(to: .now) / .milliseconds(1)
    let entries = try entries(recorder)
    try #require(entries.count == 1)
    let pauses = try #require(entries[0]["_curlew"]?["pauses"]?.arrayValue)
    try #require(pauses.count == 1)
    #expect(try #require(pauses[0][0]?.doubleValue) >= 0)
    let length = try #require(pauses[0][1]?.doubleValue)
    #expect((30...most).contains(length))
  }

  @Test func `an entry that another thread is writing while the recorder is closed is in the file`() async throws {
    for _ in 0..<200 {
      let recorder = try HARRecorder(path)
      let before = RecordingObserver()
      var settings = ExchangeSettings()
      // The second one learns of the end after the first one.
      settings.observers = [before, recorder]
      let exchange = Exchange(settings)
      let loading = Task {
        let stub = StubTransport(StubAnswer(body: [.bytes(Data("hello".utf8))]))
        return try await Loader(stub).data(for: Request(.get, "http://example.com/"), upTo: 100, in: exchange).0
      }
      try await before.waitForFinished()
      try #require(try entries(recorder).count == 1)
      _ = try await loading.value
    }
  }

  @Test func `an answer of the cache is an entry without bytes on the wire`() async throws {
    let recorder = try HARRecorder(path)
    let stub = StubTransport(
      StubAnswer(headerFields: [.cacheControl: "max-age=86400"], body: [.bytes(Data("hello".utf8))]))
    let loader = Loader(stub, chain: InterceptorChain(caching: Caching(MemoryCacheStore())))
    for _ in 0..<2 { try await load(Request(.get, "http://example.com/"), loader, recorder) }
    let entries = try entries(recorder)
    try #require(entries.count == 2)
    #expect(stub.requestCount == 1)
    #expect(entries[1]["_curlew"]?["source"]?.stringValue == "cache")
    #expect(entries[1]["response"]?["bodySize"]?.intValue == 0)
    #expect(entries[1]["response"]?["status"]?.intValue == 200)
  }

  @Test func `no secret is written, wherever it is`() async throws {
    let recorder = try HARRecorder(path)
    var generator = RequestGenerator(seed: 4, folder: folder.path)
    try Data(count: 300).write(to: URL(filePath: folder.path + "/a b'c"))
    let stub = StubTransport { asked in
      if asked.index % 7 == 0 {
        var error = NetworkError(.connectionLost, stage: .awaitingHead, message: "It was lost.")
        error.details.underlying = AppError(text: "s3cr3t")
        throw error
      }
      if asked.index % 11 == 0 { throw AppError(text: "s3cr3t") }
      var answer = StubAnswer.text("s3cr3t")
      answer.headerFields[.setCookie] = "sid=s3cr3t; Path=/"
      answer.headerFields[.location] = "http://u:s3cr3t@example.com/?code=s3cr3t#token=s3cr3t"
      answer.informational = [HTTPResponse(status: .init(code: 103), headerFields: [.setCookie: "sid=s3cr3t"])]
      return answer
    }
    let loader = Loader(stub)
    let count = max(500, CurlCommandTests.count)
    for _ in 0..<count { try? await load(generator.next(to: "http://example.com"), loader, recorder) }
    #expect(try entries(recorder).count >= count)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(!text.contains("s3cr3t"))
    #expect(text.contains(Redaction.mark))
  }

  /// The type of content, the content, and what is written of it; nil if nothing is.
  @Test(
    arguments: [
      ("application/yaml", "password: SECRET", nil), ("text/csv", "password\nSECRET", nil),
      ("application/x-plist", "<key>password</key><string>SECRET</string>", nil),
      ("application/cbor", "\u{1}SECRET", nil),
      ("text/html", "<a href='/?token=SECRET'>", "<a href='/?token=******'>"),
      ("text/plain", " <password>SECRET</password>", nil),
      ("text/plain", "password: SECRET KEY\nx: y", "password:***********\nx: y"),
      ("text/javascript", "{ 'x': 1 }", "{ 'x': 1 }"),
      ("text/javascript", "a = {'api_key' : 'SECRET', b}", "a = {'api_key' :*************"),
      ("text/plain", "see https://a.test/?token=SECRET, now", "see https://a.test/?token=******* now"),
      ("application/json", "access_token=SECRET&a=b", "access_token=******&a=b"),
      ("application/x-www-form-urlencoded", #"{"password":"SECRET"}"#, #"{"password":"******"}"#),
      ("application/x-ndjson", "{\"token\":\"SECRET\"}\n{\"a\":1}", "{\"token\":\"******\"}\n{\"a\":1}"),
      (
        "text/event-stream", "id: 1\ndata: \"\r\ndata: {\"access_token\":\"SECRET\"}\n\ndata: token=SECRET\n",
        "id: 1\ndata: \"\r\ndata: {\"access_token\":\"******\"}\n\ndata: token=******\n"
      ),
      ("text/event-stream", "data: {\ndata: \"token\":\ndata: \"SECRET\"}\n\n", nil),
      ("image/png", "\u{89}PNG", "\u{89}PNG"), (nil, "token=SECRET", "token=******"), (nil, "", ""),
    ] as [(String?, String, String?)])
  func `content whose secrets would not be found is left out`(type: String?, content: String, expected: String?) throws
  {
    let mask = ContentMask(redaction: .standard, request: try Request(.get, "https://a.test/"))
    let masked = mask.masked(Data(content.utf8), type: type).map { String(decoding: $0, as: UTF8.self) }
    #expect(masked == expected)
    #expect(masked == nil || masked?.utf8.count == content.utf8.count)
  }

  @Test func `secrets that the exchange's own redaction leaves are replaced too`() async throws {
    let recorder = try HARRecorder(path)
    var request = try Request(.get, "http://example.com/?token=s3cr3t")
    request.headerFields[.cookie] = "sid=s3cr3t"
    var answer = StubAnswer(.found, headerFields: [.setCookie: "sid=s3cr3t", .location: "/?code=s3cr3t"])
    answer.informational = [HTTPResponse(status: .init(code: 103), headerFields: [.setCookie: "sid=s3cr3t"])]
    var settings = ExchangeSettings()
    settings.redaction = Redaction(fields: [], queryItems: [])
    settings.observers = [recorder]
    let response = try await Loader(StubTransport(answer)).load(request, in: Exchange(settings))
    _ = try await response.body.collect(upTo: 10)
    #expect(try entries(recorder).count == 1)
    #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("s3cr3t"))
  }

  @Test func `secrets are written if asked`() async throws {
    var options = HARRecorder.Options()
    options.redaction = nil
    let recorder = try HARRecorder(path, options: options)
    var request = try Request(.get, "http://example.com/?token=t1")
    request.headerFields[.cookie] = "a=b; c=d=e"
    var answer = StubAnswer.text("hello")
    answer.headerFields[.setCookie] = "sid=1; Path=/x; HttpOnly; Secure"
    try await load(request, Loader(StubTransport(answer)), recorder)
    let entry = try #require(try entries(recorder).first)
    #expect(entry["request"]?["url"]?.stringValue == "http://example.com/?token=t1")
    #expect(entry["request"]?["cookies"]?[1]?["value"]?.stringValue == "d=e")
    #expect(entry["response"]?["cookies"]?[0]?["path"]?.stringValue == "/x")
    #expect(entry["response"]?["cookies"]?[0]?["httpOnly"]?.boolValue == true)
  }

  @Test func `the file is whole after each entry, up to its limit`() async throws {
    var options = HARRecorder.Options()
    options.byteLimit = 4_000
    let recorder = try HARRecorder(path, options: options)
    #expect(try entries(recorder).isEmpty)
    for index in 0..<20 {
      try await load(
        Request(
          .get, "http://example.com/\(index)\u{22}\u{5C}".replacing("\"", with: "%22").replacing("\\", with: "%5C")),
        Loader(StubTransport(.text("a"))), recorder)
      #expect(try entries(recorder).count == recorder.entryCount)
    }
    #expect(recorder.droppedCount == 20 - recorder.entryCount)
    #expect(recorder.entryCount > 2)
    #expect(try Data(contentsOf: URL(filePath: path)).count <= 4_000)
  }

  @Test func `a full disk ends the recording and leaves a whole file`() async throws {
    // A limit of the process on the sizes of files would concern all tests, so a small file system is used where one can be mounted.
    let script = """
      mkdir small && mount -t tmpfs -o size=16k none small || exit 77
      """
    let result = try await Program.shell(script, in: folder.path)
    guard result.status == 0 else { try Test.cancel("no file system can be mounted here") }
    let path = folder.path + "/small/a.har"
    let recorder = try HARRecorder(path)
    for _ in 0..<100 {
      try await load(Request(.get, "http://example.com/"), Loader(StubTransport(.text("a"))), recorder)
    }
    recorder.close()
    #expect(recorder.failure?.code == ENOSPC)
    let document = try HARDocument(contentsOf: path)
    #expect(document.isComplete)
    #expect(document.entries.count == recorder.entryCount)
    #expect(recorder.droppedCount + recorder.entryCount == 100)
    _ = try await Program.shell("umount -l small", in: folder.path)
  }

  @Test func `a disk that stands still holds no transport's thread, and what waited is written when it goes on`()
    async throws
  {
    let script = """
      command -v mkfs.ext4 fsfreeze >/dev/null || exit 77
      truncate -s 64M image && mkfs.ext4 -q image && mkdir still && mount -o loop image still || exit 77
      """
    guard try await Program.shell(script, in: folder.path).status == 0 else {
      try Test.cancel("no file system can be mounted here")
    }
    let path = folder.path + "/still/a.har"
    let recorder = try HARRecorder(path)
    #expect(try await Program.shell("fsfreeze -f still", in: folder.path).status == 0)
    let exchange = observed(by: recorder)
    let answered = Mutex(0)
    let thread = Thread {
      TransportThread.enter()
      for _ in 0..<20_000 {
        exchange.emit(.sending(Request(.get, URL(filePath: "/" + String(repeating: "a", count: 500)))))
        exchange.emit(.measured(ExchangeMetrics()))
        answered.withLock { $0 += 1 }
      }
    }
    thread.start()
    // Sleeps because a thread that stands still is not told from one that works.
    for _ in 0..<600 where answered.withLock({ $0 }) < 20_000 { try await Task.sleep(for: .milliseconds(100)) }
    #expect(answered.withLock { $0 } == 20_000)
    #expect(try await Program.shell("fsfreeze -u still", in: folder.path).status == 0)
    recorder.close()
    let document = try HARDocument(contentsOf: path)
    #expect(document.entries.count == recorder.entryCount)
    #expect(recorder.entryCount + recorder.droppedCount == 20_000)
    // Neither was everything kept in memory, nor too little.
    #expect(recorder.droppedCount > 0 && recorder.entryCount > 4_000)
    _ = try await Program.shell("umount -l still", in: folder.path)
  }

  @Test func `a program that ends without closing the recorder has written everything`() async throws {
    await #expect(processExitsWith: .success) { [path = path as String] in
      let recorder = try HARRecorder(path)
      var settings = ExchangeSettings()
      settings.observers = [recorder]
      let loader = Loader(StubTransport(.text("a")), settings: settings)
      for _ in 0..<100 { _ = try await loader.data(for: Request(.get, "http://example.com/"), upTo: 10) }
      exit(recorder.failure == nil ? 0 : 1)
    }
    #expect(try HARDocument(contentsOf: path).entries.count == 100)
  }

  @Test func `a file can be recorded again as soon as its recorder is released`() throws {
    let request = try Request(.get, "http://example.com/")
    for round in 1...20 {
      let recorder = try HARRecorder(path)
      for _ in 0..<round {
        let exchange = observed(by: recorder)
        exchange.emit(.sending(request))
        exchange.emit(.finished(.success, metrics: []))
      }
    }
    #expect(try HARDocument(contentsOf: path).entries.count == 20)
  }

  @Test func `requests under way are bounded, and written when the recorder is closed`() throws {
    var options = HARRecorder.Options()
    options.openLimit = 10
    let recorder = try HARRecorder(path, options: options)
    var exchanges: [Exchange] = []
    for index in 0..<30 {
      let exchange = observed(by: recorder)
      let request = try Request(.get, "http://example.com/\(index)")
      exchange.emit(.started(request))
      exchange.emit(.sending(request))
      exchanges.append(exchange)
    }
    #expect(recorder.entryCount == 20)
    recorder.close()
    #expect(try entries(recorder).count == 30)
    #expect(try entries(recorder).allSatisfy { $0["_curlew"]?["unfinished"]?.boolValue == true })
  }

  @Test func `concurrent requests are recorded whole`() async throws {
    let recorder = try HARRecorder(path)
    let loader = Loader(StubTransport(.text("hello")))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<200 {
        group.addTask { try await load(Request(.get, "http://example.com/\(index)"), loader, recorder) }
      }
      try await group.waitForAll()
    }
    #expect(Set(try entries(recorder).compactMap { $0["request"]?["url"]?.stringValue }).count == 200)
  }

  @Test func `a file that another recorder writes, a pipe and a folder are refused`() async throws {
    let recorder = try HARRecorder(path)
    #expect(throws: FileSystemError.self) { try HARRecorder(path) }
    #expect(throws: FileSystemError.self) { try HARRecorder(folder.path) }
    #expect(throws: FileSystemError.self) { try HARRecorder("/dev/null") }
    #expect(throws: FileSystemError.self) { try HARRecorder("a\0b") }
    #expect(recorder.failure == nil)
  }

  @Test func `a file whose last entry is cut off is read up to it`() async throws {
    let recorder = try HARRecorder(path)
    for index in 0..<3 {
      try await load(Request(.get, "http://example.com/\(index)"), Loader(StubTransport(.text("a"))), recorder)
    }
    recorder.close()
    let whole = try Data(contentsOf: URL(filePath: path))
    let last = try #require(whole.range(of: Data(",\n{".utf8), options: .backwards)).lowerBound
    for end in last + 2..<whole.count - 5 {
      let document = try HARDocument(whole[..<end])
      #expect(document.entries.count == 2)
      #expect(!document.isComplete)
    }
    #expect(try HARDocument(whole).entries.count == 3)
    #expect(throws: HARError.self) { try HARDocument(Data("{}".utf8)) }
    #expect(throws: HARError.self) { try HARDocument(whole.prefix(20)) }
  }
}

private struct AppError: Error { var text: String }
