import CurlewBatch
import CurlewCore
import CurlewCurlTransport
import CurlewDigests
import CurlewDownload
import CurlewLoading
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewTestSupport

@Suite(.timeLimit(.minutes(5))) struct BatchDownloadTests {
  private func withLoader<Value>(_ body: (Loader) async throws -> Value) async throws -> Value {
    let transport = try CurlTransport()
    defer { Task { await transport.shutdown() } }
    return try await body(Loader(transport))
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
      #expect(summary.progress.endedBytes == Int64((150..<1_000).reduce(0, +)))
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
    let digest = try #require(ExpectedDigest(.sha256, try Digest.of(Data(right), .sha256)))
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
