import CurlewBatch
import CurlewCore
import CurlewCurlTransport
import CurlewDigests
import CurlewDownload
import CurlewLoading
import CurlewRequests
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewTestSupport

@Suite(.timeLimit(.minutes(10))) struct BatchDownloadTests {
  private func withLoader<Value>(_ body: (Loader) async throws -> Value) async throws -> Value {
    let transport = try CurlTransport()
    defer { Task { await transport.shutdown() } }
    return try await body(Loader(transport))
  }

  @Test(arguments: [false, true], [false, true])
  func `an item that is opened again accepts no file that was damaged since`(
    hasDigest: Bool, replaces: Bool
  ) async throws {
    let folder = "/tmp/curlew-reopen-\(UInt64.random(in: 0 ... .max))"
    let files = LocalFileSystem()
    try files.createDirectory(folder)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let origin = try await ScriptedOrigin.start { _ in .ok("the right bytes") }
    try await withLoader { loader in
      var download = BatchDownload(Request(.get, origin.url("/f")), to: folder + "/f")
      download.replaces = replaces
      if hasDigest { download.digest = "sha-256:" + (try Digest.of(Data("the right bytes".utf8), .sha256).hexadecimal) }
      let store = MemoryBatchStore()
      func run() async throws -> BatchSummary {
        try await Batch(store, Batch.Configuration(over: loader, on: DownloadDisk(files))).run()
      }
      try await store.add([try .download("f", download)])
      #expect(try await run().succeeded == 1 && origin.requests.count == 1)
      // Whole, it is recognized without a request; without a digest, by its identity and the time of its last change.
      try await store.apply(.reopenItem("f"))
      #expect(try await run().succeeded == 1 && origin.requests.count == 1)
      let wrong = [UInt8]("the wrong bytes".utf8)
      try wrong.withUnsafeBytes { try files.open(folder + "/f", .write).write($0, at: 0) }
      try await store.apply(.reopenItem("f"))
      let summary = try await run()
      #expect(replaces ? summary.succeeded == 1 : summary.failed == 1)
      let found = try String(contentsOf: URL(filePath: folder + "/f"), encoding: .utf8)
      #expect(
        found == (replaces ? "the right bytes" : "the wrong bytes"),
        "what somebody has changed is kept unless it may be replaced")
    }
    await origin.stop()
  }

  @Test func `names that Unicode considers equal are two items`() async throws {
    let names = ["\u{e9}", "e\u{301}"]
    let store = MemoryBatchStore()
    let both = ManualGate()
    var configuration = Batch.Configuration()
    let running = Guarded(0)
    configuration.jobs[.init("meet")] = BatchJob { _ in
      // Each waits until the other runs too.
      let isLast = running.withLock { count in
        count += 1
        return count == 2
      }
      if isLast { both.open() }
      try await both.wait()
      return BatchProduct()
    }
    try await store.add(
      names.map { BatchItem($0, job: .init("meet")) } + [BatchItem("x", job: .init("meet"), dependencies: names)])
    #expect(try await Batch(store, configuration).run().succeeded == 3)
  }

  @Test func `of a thousand downloads a hundred fail and fifty are cancelled, and the summary is exact`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      let number = Int(request.path.split(separator: "/").last ?? "") ?? 0
      if request.path.hasPrefix("/missing/") { return .status(404, "not here") }
      if request.path.hasPrefix("/held/") { return OriginReply(.head(200, ["Content-Length": "9"]), .stall) }
      return .ok(.repeating(UInt8(number % 251)), count: Int64(number), ["ETag": "\"\(number)\""])
    }
    let memory = MemoryFileSystem(capacity: 64 << 20)
    try memory.createDirectory("/d")
    try await withLoader { loader in
      let store = MemoryBatchStore(BatchRules(limit: 40, perHost: 40))
      let batch = Batch(store, Batch.Configuration(over: loader, on: DownloadDisk(memory)))
      var items: [BatchItem] = []
      for number in 0..<1_000 {
        let kind = number < 25 ? "held" : number < 50 ? "early" : number < 150 ? "missing" : "file"
        items.append(
          try .download("\(kind) \(number)", Request(.get, origin.url("/\(kind)/\(number)")), to: "/d/\(number)"))
        if number < 25 { items[number].priority = .high }
      }
      try await batch.add(items)
      for number in 25..<50 { #expect(try await batch.cancel("early \(number)")) }
      let begun = Watched<Set<String>>([])
      batch.observe(on: .serial()) { event in
        if case .began(let item) = event { begun.update { _ = $0.insert(item.name) } }
      }
      batch.start()
      try await begun.wait { $0.filter { $0.hasPrefix("held") }.count == 25 }
      for number in 0..<25 { #expect(try await batch.cancel("held \(number)")) }
      let summary = try await batch.run()
      #expect([summary.succeeded, summary.failed, summary.cancelled, summary.skipped] == [850, 100, 50, 0])
      #expect(summary.isComplete && summary.progress.fraction == 1)
      // A held item of nine bytes, whose size a renewal has reported before it was cancelled, counts as ended with it.
      let held = summary.progress.endedBytes - Int64((150..<1_000).reduce(0, +))
      #expect(held % 9 == 0 && (0...225).contains(held))
      for try await outcome in batch {
        let kind = outcome.name.split(separator: " ")[0]
        switch outcome.result {
        case .succeeded: #expect(kind == "file")
        case .failed(let failure): #expect(kind == "missing" && failure.kind == "unacceptable-status")
        case .cancelled: #expect(kind == "held" || kind == "early")
        case .skipped: Issue.record("\(outcome.name) was skipped")
        }
      }
      for number in 150..<1_000 { #expect(memory.contents(of: "/d/\(number)")?.count == number) }
      #expect(memory.contents(of: "/d/60") == nil)
    }
    #expect(origin.requests.count { $0.path.hasPrefix("/file/") } == 850)
    #expect(origin.requests.count { $0.path.hasPrefix("/missing/") } == 100)
    #expect(!origin.requests.contains { $0.path.hasPrefix("/early/") })
    await origin.stop()
  }

  @Test func `a file that was published before its record is recognized and not fetched again`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok(.repeating(7), count: 5_000, ["ETag": "\"1\""]) }
    let memory = MemoryFileSystem(capacity: 64 << 20)
    try memory.createDirectory("/d")
    let clock = ManualClock()
    let store = MemoryBatchStore(clock: clock)
    try await store.add([try .download("a", Request(.get, origin.url("/a")), to: "/d/a")])
    try await withLoader { loader in
      let configuration = Batch.Configuration(over: loader, on: DownloadDisk(memory))
      await #expect(throws: BatchError.self) { try await Batch(FailingStore(store), configuration).run() }
      #expect(memory.contents(of: "/d/a")?.count == 5_000)
      clock.advance(by: .seconds(31))
      #expect(try await Batch(store, configuration).run().succeeded == 1)
      let outcome = try #require(await store.outcomes(after: 0, limit: 1).first)
      guard case .succeeded(let product) = outcome.result else { return }
      #expect(try BatchFile(output: product.output).length == 5_000 && product.bytes == 5_000)
    }
    #expect(origin.requests.count == 1)
    await origin.stop()
  }

  @Test func `a file that is there is taken for the result by its digest, and never by its name`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok(.repeating(7), count: 100) }
    let right = [UInt8](repeating: 7, count: 100)
    let digest = try ExpectedDigest(.sha256, try Digest.of(Data(right), .sha256))
    let memory = MemoryFileSystem(capacity: 64 << 20)
    try memory.createDirectory("/d")
    for (path, bytes) in [("/d/right", right), ("/d/wrong", [7]), ("/d/unknown", right)] {
      let file = try memory.open(path, [.write, .create])
      try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    }
    try await withLoader { loader in
      let batch = Batch(MemoryBatchStore(), Batch.Configuration(over: loader, on: DownloadDisk(memory)))
      let request = Request(.get, origin.url("/"))
      try await batch.add([
        .download("right", request, to: "/d/right", digest: digest),
        .download("wrong", request, to: "/d/wrong", digest: digest),
        .download("unknown", request, to: "/d/unknown"),
      ])
      var kinds: [String: String] = [:]
      for try await outcome in batch {
        if case .failed(let failure) = outcome.result { kinds[outcome.name] = failure.kind }
      }
      #expect(kinds == ["wrong": "target-exists", "unknown": "target-exists"])
    }
    #expect(memory.contents(of: "/d/wrong") == [7])
    await origin.stop()
  }
}
