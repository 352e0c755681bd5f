import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewDownload

@Suite(.timeLimit(.minutes(10))) struct DownloaderTests {
  private let resource = SeededResource(length: 1 << 20, seed: 8)
  private var whole: [UInt8] { resource.bytes(count: 1 << 20) }

  @Test(arguments: Carrier.allCases) func `a download needs few lines`(carrier: Carrier) async throws {
    let origin = try await ScriptedOrigin.start { [resource] in resource.reply(to: $0) }
    let site = try Site()
    try await carrier.withLoader { loader in
      let result = try await Downloader(loader, Request(.get, origin.url("/f")), to: .file(Site.path), on: site.disk)
        .run()
      #expect(result.path == Site.path && result.length == 1 << 20 && result.resumedFrom == 0)
    }
    #expect(site.contents() == whole)
    #expect(try site.names() == ["file.bin"])
    #expect(origin.requests.map { $0["Accept-Encoding"] } == ["identity"])
    await origin.stop()
  }

  @Test(arguments: [true, false]) func `a body that can be sent once is sent once, unless there is another`(
    _ hasAnother: Bool
  ) async throws {
    let lost = NetworkError(.connectionLost, stage: .awaitingHead, message: "Lost.")
    let stub = StubTransport(script: [.failing(lost), StubAnswer(body: [.bytes(Data("fine".utf8))])])
    let recording = RecordingTransport(stub)
    var request = Request(.put, try #require(URL(string: "http://stub.test/f")))
    request.body = .stream(
      AsyncStream {
        $0.yield(Data("once".utf8))
        $0.finish()
      })
    var settings = ExchangeSettings()
    if hasAnother { settings.hooks.newBody = { _ in .text("again") } }
    let site = try Site()
    var configuration = DownloadConfiguration(request, to: .file(Site.path))
    configuration.settings = settings
    configuration.retry?.delay = .fixed(.zero)
    let download = Downloader(Loader(recording), configuration, on: site.disk)
    let outcome = await download.outcomeOfRun
    #expect((outcome.error as? NetworkError)?.kind == (hasAnother ? nil : .connectionLost))
    #expect(recording.requests.count == (hasAnother ? 2 : 1))
    #expect(site.contents() == (hasAnother ? [UInt8]("fine".utf8) : nil))
  }

  @Test(arguments: Carrier.allCases) func `a pause gives the connection up, and resuming asks for the rest`(
    carrier: Carrier
  ) async throws {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { [resource] request in
      guard request["Range"] == nil else { return resource.reply(to: request) }
      return OriginReply(
        .head(200, ["Content-Length": "\(1 << 20)", "ETag": resource.entityTag ?? ""]),
        .fill(resource.pattern, count: 700_000), .wait(for: gate),
        .fill(resource.pattern, from: 700_000, count: (1 << 20) - 700_000))
    }
    let site = try Site()
    try await carrier.withLoader { loader in
      let download = site.download(loader, origin.url("/f"))
      let outcome = Task { try await download.run() }
      await wait(while: download.downloadProgress.current.completed < 700_000)
      #expect(download.pause())
      await download.halted()
      await origin.until { $0.connectionsOpen == 0 }
      let kept = download.file.completed
      #expect(kept > 0 && Int64(site.kept()?.count ?? 0) == kept && download.file.total == 1 << 20)
      #expect(download.resume())
      let result = try await outcome.value
      #expect(result.resumedFrom == 0, "no byte is from before this download")
      #expect(origin.requests.map { $0["Range"] } == [nil, "bytes=\(kept)-"])
    }
    #expect(site.contents() == whole)
    #expect(try site.names() == ["file.bin"])
    gate.open()
    await origin.stop()
  }

  private func halfway(_ site: Site, _ body: (Downloader, ScriptedOrigin) async throws -> Void) async throws {
    let origin = try await ScriptedOrigin.start { [resource] request in
      OriginReply(
        .head(200, ["Content-Length": "\(1 << 20)", "ETag": resource.entityTag ?? ""]),
        .fill(resource.pattern, count: 500_000), .stall)
    }
    try await Carrier.curl.withLoader { loader in
      let download = site.download(loader, origin.url("/f"))
      download.start()
      await wait(while: download.downloadProgress.current.completed < 500_000)
      try await body(download, origin)
    }
    await origin.stop()
  }

  @Test func `cancelling keeps the bytes, or drops them`() async throws {
    let site = try Site()
    try await halfway(site) { download, _ in
      #expect(download.cancel())
      await download.settled()
      #expect(download.outcome?.error is CancellationError)
      #expect(site.kept() == resource.bytes(count: 500_000))
      #expect(download.file.completed == 500_000)
      #expect(site.memory.openFiles == 0)
    }
    try site.memory.remove(PartialPlace(beside: Site.path).data)
    try await halfway(site) { download, _ in
      #expect(download.cancel(keepingPartial: false))
      await download.settled()
      let names = try site.names()
      #expect(names == [])
      #expect(site.memory.openFiles == 0)
    }
  }

  @Test func `two downloads of one target: one works, the other is told`() async throws {
    let site = try Site()
    try await halfway(site) { download, origin in
      try await Carrier.curl.withLoader { loader in
        let error = await failure(of: site.download(loader, origin.url("/f")))
        #expect(error?.kind == .targetInUse)
        #expect(error?.message == "Another download is writing \(Site.path).")
        #expect(error?.advice == "Wait for it, or choose another name.")
      }
      #expect(site.kept() != nil)
      download.cancel()
      await download.settled()
      #expect(site.kept()?.count == 500_000)
    }
  }

  @Test func `what exists fails, is replaced or numbered`() async throws {
    let site = try Site()
    let stub = StubTransport { _ in .text("new") }
    func run(_ collision: CollisionPolicy) async throws -> DownloadResult {
      try await site.download(Loader(stub), URL(string: "http://stub.test/f") ?? URL(filePath: "/")) {
        $0.file.collision = collision
      }.run()
    }
    #expect(try await run(.fail).path == Site.path)
    let error = await #expect(throws: NetworkError.self) { try await run(.fail) }
    #expect(error?.kind == .targetExists && stub.requestCount == 1, "nothing was sent")
    #expect(try await run(.number).path == "/d/file-2.bin")
    #expect(try await run(.number).path == "/d/file-3.bin")
    #expect(try await run(.replace).path == Site.path)
    #expect(try site.names() == ["file-2.bin", "file-3.bin", "file.bin"])
  }

  @Test func `a name that is taken while bytes come fails with the bytes kept`() async throws {
    let site = try Site()
    let gate = ManualGate()
    let stub = StubTransport(
      StubAnswer(
        headerFields: [.eTag: "\"v1\"", .contentLength: "4"],
        body: [.bytes(Data("on".utf8)), .wait { try await gate.wait() }, .bytes(Data("ce".utf8))]))
    let download = site.download(Loader(stub), URL(string: "http://stub.test/f") ?? URL(filePath: "/"))
    let error = Task { await failure(of: download) }
    try await gate.waitForArrivals()
    _ = try site.memory.open(Site.path, [.write, .create])
    gate.open()
    #expect(await error.value?.kind == .targetExists)
    #expect(await error.value?.details.resumption?.completedBytes == 4)
    #expect(site.contents() == [] && site.kept() == [UInt8]("once".utf8))
  }

  @Test func `a directory gets the name that the response suggests, and the state is found again without it`()
    async throws
  {
    let site = try Site()
    let resource = resource
    let isFirst = Guarded(true)
    let origin = try await ScriptedOrigin.start { request in
      let first = isFirst.withLock { first in
        defer { first = false }
        return first
      }
      let named = resource.with { $0.fields = ["Content-Disposition": "attachment; filename=\"../birds.iso\""] }
      return first ? named.reply(to: request).cut(after: 600_000) : named.reply(to: request)
    }
    try await Carrier.curl.withLoader { loader in
      func download() -> Downloader {
        Downloader(loader, site.configuration(origin.url("/f?signature=1"), to: .directory("/d")), on: site.disk)
      }
      let error = await failure(of: download())
      let kept = try #require(error?.details.resumption).completedBytes
      let result = try await download().run()
      #expect(result.path == "/d/birds.iso" && result.resumedFrom == kept)
    }
    #expect(try site.names() == ["birds.iso"])
    await origin.stop()
  }

  @Test func `a path is chosen once, after a response was accepted`() async throws {
    let site = try Site()
    let calls = Guarded<[Int]>([])
    let target = DownloadTarget.chosen(partialIn: "/d") { head in
      calls.withLock { $0.append(head.status.code) }
      return "/d/chosen"
    }
    let lost = StubAnswer.Step.failure(NetworkError(.connectionLost, stage: .receivingBody, message: "Lost."))
    let script: [StubAnswer] = [
      .text("no", status: .serviceUnavailable),
      StubAnswer(headerFields: [.eTag: "\"v1\"", .contentLength: "4"], body: [.bytes(Data("on".utf8)), lost]),
      StubAnswer(
        .partialContent, headerFields: [.contentRange: "bytes 2-3/4", .eTag: "\"v1\""], body: [.bytes(Data("ce".utf8))]),
    ]
    var configuration = site.configuration(URL(string: "http://stub.test/f") ?? URL(filePath: "/"), to: target)
    configuration.retry = RetryPolicy(limit: 5, delay: .fixed(.zero))
    let result = try await Downloader(Loader(StubTransport(script: script)), configuration, on: site.disk).run()
    #expect(result.path == "/d/chosen" && site.contents("/d/chosen") == [UInt8]("once".utf8))
    #expect(calls.withLock { $0 } == [200])
  }

  @Test func `a directory, a pipe or a missing directory is refused before a request is sent`() async throws {
    let directory = "/tmp/curlew-download-\(UInt64.random(in: 0 ... .max))"
    let files = LocalFileSystem()
    try files.createDirectory(directory)
    defer {
      for name in (try? files.list(directory)) ?? [] { try? files.remove(directory + "/" + name) }
      try? files.remove(directory)
    }
    mkfifo(directory + "/pipe", 0o600)
    let stub = StubTransport(.text("new"))
    let disk = DownloadDisk()
    for path in [directory, directory + "/pipe", "/dev/null", directory + "/missing/file", directory + "/name/", ""] {
      var configuration = DownloadConfiguration(
        Request(.get, URL(string: "http://stub.test/f") ?? URL(filePath: "/")), to: .file(path))
      configuration.file.collision = .replace
      let error = await failure(of: Downloader(Loader(stub), configuration, on: disk))
      #expect(error?.kind == .fileError, "\(path): \(String(describing: error))")
    }
    #expect(stub.requestCount == 0)
    #expect(try files.list(directory) == ["pipe"])
  }

  @Test func `a link is followed once, and mode and time are set where asked`() async throws {
    let directory = "/tmp/curlew-download-\(UInt64.random(in: 0 ... .max))"
    let files = LocalFileSystem()
    try files.createDirectory(directory + "/real")
    defer { system("rm -rf \(directory)") }
    _ = try files.open(directory + "/real/file", [.write, .create])
    symlink(directory + "/real/file", directory + "/link")
    let answer = StubAnswer(
      headerFields: [.lastModified: "Sat, 01 Jan 2000 00:00:00 GMT"], body: [.bytes(Data("new".utf8))])
    var configuration = DownloadConfiguration(
      Request(.get, URL(string: "http://stub.test/f") ?? URL(filePath: "/")), to: .file(directory + "/link"))
    configuration.file.collision = .replace
    configuration.file.permissions = 0o640
    configuration.file.keepsModificationTime = true
    _ = try await Downloader(Loader(StubTransport(answer)), configuration, on: DownloadDisk()).run()
    #expect(try files.linkStatus(directory + "/link")?.kind == .symbolicLink)
    let status = try #require(try files.status(directory + "/real/file"))
    #expect(status.length == 3 && status.permissions == 0o640 && status.modified == 946_684_800)
    #expect(try files.list(directory + "/real") == ["file"])
  }

  @Test func `a limit ends a download before a byte, or while they come, and a full disk before`() async throws {
    let site = try Site(capacity: 2 << 20)
    let url = URL(string: "http://stub.test/f") ?? URL(filePath: "/")
    let chunk = Data(count: 10_000)
    func error(_ answer: StubAnswer, limit: Int64?) async -> NetworkError? {
      await failure(of: site.download(Loader(StubTransport(answer)), url) { $0.file.sizeLimit = limit })
    }
    #expect(await error(.bytes(Data(count: 101)), limit: 100)?.kind == .bodyTooLarge)
    var unannounced = StubAnswer(body: [.repeated(chunk, count: 20)])
    unannounced.announcesLength = false
    #expect(await error(unannounced, limit: 100_000)?.kind == .bodyTooLarge)
    let huge = StubAnswer(headerFields: [.contentLength: "\(Int64.max)", .eTag: "\"v1\""], body: [.bytes(chunk)])
    let full = await error(huge, limit: nil)
    #expect(full?.kind == .fileError && (full?.details.underlying as? FileSystemError)?.isDiskFull == true)
    var endless = StubAnswer(headerFields: [.eTag: "\"v1\""], body: [.repeated(chunk, count: 1_000_000)])
    endless.announcesLength = false
    let filled = await error(endless, limit: nil)
    #expect((filled?.details.underlying as? FileSystemError)?.isDiskFull == true)
    #expect(filled?.details.resumption != nil && site.kept()?.isEmpty == false)
    #expect(site.contents() == nil && site.memory.openFiles == 0)
  }

  @Test(arguments: Carrier.allCases, [401, 403, 404, 410])
  func `a link that expired is replaced by a fresh one to the same file`(carrier: Carrier, status: Int) async throws {
    let site = try Site()
    let resource = resource
    let origin = try await ScriptedOrigin.start { request in
      switch request.path {
      case "/1": request["Range"] == nil ? resource.reply(to: request).cut(after: 600_000) : .status(status, "expired")
      case "/2": resource.with { $0.entityTag = "\"elsewhere\"" }.reply(to: request)
      default: SeededResource(length: 5, seed: 1).reply(to: request)
      }
    }
    func download(_ loader: Loader, then second: String, after number: Int) -> Downloader {
      var configuration = DownloadConfiguration(
        request: { attempt in Request(.get, origin.url(attempt.number <= number ? "/1" : second)) },
        to: .file(Site.path))
      configuration.retry = RetryPolicy(limit: 1, delay: .fixed(.zero))
      return Downloader(loader, configuration, on: site.disk)
    }
    try await carrier.withLoader { loader in
      let error = await failure(of: download(loader, then: "/3", after: 2))
      #expect(error?.kind == .entityChanged && error?.details.resumption?.completedBytes ?? 0 > 0)
      _ = try await download(loader, then: "/2", after: 1).run()
    }
    #expect(site.contents() == whole)
    await origin.stop()
  }

  @Test func `a POST is never asked for in ranges, and a request with a range of its own is refused`() async throws {
    let site = try Site()
    let url = URL(string: "http://stub.test/f") ?? URL(filePath: "/")
    try await site.keep(1_000, of: resource, from: url)
    let stub = StubTransport(.text("new"))
    var configuration = DownloadConfiguration(Request(.post, url), to: .file(Site.path))
    _ = try await Downloader(Loader(stub), configuration, on: site.disk).run()
    #expect(site.contents() == [UInt8]("new".utf8))
    var request = Request(.get, url)
    request.headerFields[.range] = "bytes=5-"
    configuration = DownloadConfiguration(request, to: .file("/d/other"))
    #expect(await failure(of: Downloader(Loader(stub), configuration, on: site.disk))?.kind == .invalidRequest)
    #expect(stub.requestCount == 1)
  }

  @Test func `what is called before the file gets its name knows it, and may keep it from getting it`() async throws {
    let origin = try await ScriptedOrigin.start { [resource] in resource.reply(to: $0) }
    let site = try Site()
    let finished = Guarded<[VerifiedFile]>([])
    struct Refusal: Error {}
    try await Carrier.curl.withLoader { loader in
      var configuration = DownloadConfiguration(Request(.get, origin.url("/f")), to: .file(Site.path))
      configuration.file.willPublish = { file in
        finished.withLock { $0.append(file) }
        throw Refusal()
      }
      let refused = Downloader(loader, configuration, on: site.disk)
      await #expect(throws: Refusal.self) { try await refused.run() }
      #expect(site.contents() == nil && site.kept()?.count == 1 << 20)
      configuration.file.willPublish = { file in finished.withLock { $0.append(file) } }
      let result = try await Downloader(loader, configuration, on: site.disk).run()
      #expect(result.resumedFrom == 1 << 20)
    }
    #expect(site.contents() == whole)
    let identity = try site.disk.files.status(Site.path)?.identity
    let files = finished.withLock { $0 }
    #expect(files.count == 2 && files.allSatisfy { $0.path == Site.path && $0.length == 1 << 20 })
    #expect(files.allSatisfy { $0.identity == identity }, "the file has another identity than was said")
    #expect(origin.requests.map { $0["Range"] } == [nil, "bytes=\(1 << 20)-"])
    await origin.stop()
  }

  @Test func `a file is a sink of any transfer, and begins anew where it has changed, whatever the app decides`()
    async throws
  {
    let changed = resource.with { $0.entityTag = "\"v2\"" }
    let isFirst = Guarded(true)
    let origin = try await ScriptedOrigin.start { [resource] request in
      if isFirst.withLock({ exchange(&$0, with: false) }) { return resource.reply(to: request).cut(after: 600_000) }
      return request["Range"] == nil
        ? changed.reply(to: request) : .status(416, ["Content-Range": "bytes */5", "ETag": "\"v2\""])
    }
    let site = try Site()
    try await Carrier.curl.withLoader { loader in
      var plan = Transfer<TransferResult>.Configuration(
        Request(.get, origin.url("/f")), to: PartialSink(.file(Site.path), on: site.disk)
      ) { $0 }
      plan.retry = RetryPolicy(limit: 1, delay: .fixed(.zero))
      plan.shouldRetry = { _, _ in .byPolicy }
      _ = try await Transfer(loader, plan).run()
    }
    #expect(site.contents() == whole)
    #expect(origin.requests.map { $0["Range"] != nil } == [false, true, false])
    await origin.stop()
  }
}
