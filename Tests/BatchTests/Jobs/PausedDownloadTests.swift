import CurlewBatch
import CurlewCore
import CurlewCurlTransport
import CurlewDownload
import CurlewLoading
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewTestSupport

/// Downloads over sockets into real files, which are paused, resumed and cancelled as items of a batch.
@Suite(.timeLimit(.minutes(10))) struct PausedDownloadTests {
  private static let resource = SeededResource(length: 200_000, seed: 3)

  /// An origin that stops after 80,000 bytes of a whole file, and sends the rest to a request for it.
  private static func origin() async throws -> ScriptedOrigin {
    let never = OriginGate()
    return try await ScriptedOrigin.start { request in
      guard request.path != "/short", request["Range"] == nil else { return Self.resource.reply(to: request) }
      let (head, pattern) = (Self.resource.reply(to: request).steps[0], Self.resource.pattern)
      // In several portions, so that the progress is reported before the origin stops.
      return OriginReply(
        head, .rate(400_000), .fill(pattern, count: 80_000), .wait(for: never),
        .fill(pattern, from: 80_000, count: Self.resource.length - 80_000))
    }
  }

  /// A batch with one place, and what its observer has seen.
  private final class Run: Sendable {
    let folder = FileManager.default.temporaryDirectory.path + "/curlew-paused-\(UInt64.random(in: 0 ... .max))"
    let batch: Batch
    private let moving = Watched<Set<String>>([])
    private let ended = Watched<[String: BatchResult]>([:])

    init(over loader: Loader) throws {
      var configuration = Batch.Configuration(over: loader)
      configuration.progressInterval = .milliseconds(5)
      batch = Batch(MemoryBatchStore(BatchRules(limit: 1)), configuration)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      batch.observe(on: .serial()) { [moving, ended] event in
        switch event {
        case .progressed(_, let items): moving.update { $0.formUnion(items.filter { $0.completed > 0 }.map(\.name)) }
        case .ended(let outcome): ended.update { $0[outcome.name] = outcome.result }
        case .began, .completed: break
        }
      }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func bytes(of name: String) -> [UInt8]? {
      FileManager.default.contents(atPath: folder + "/" + name).map { [UInt8]($0) }
    }
    func waitForBytes(of name: String) async throws { try await moving.wait { $0.contains(name) } }
    func waitForEnd(of name: String) async throws -> BatchResult? {
      try await ended.wait { $0[name] != nil }
      return ended.current[name]
    }
  }

  private static func offset(of request: OriginRequest) throws -> Int {
    let range = try #require(request["Range"])
    return try #require(Int(range.dropFirst("bytes=".count).dropLast()))
  }

  @Test func `a paused download gives its place to another, and goes on with its bytes when it is resumed`()
    async throws
  {
    let origin = try await Self.origin()
    let transport = try CurlTransport()
    let run = try Run(over: Loader(transport))
    try await run.batch.add([
      .download("long", Request(.get, origin.url("/long")), to: run.folder + "/long"),
      .download("short", Request(.get, origin.url("/short")), to: run.folder + "/short"),
    ])
    run.batch.start()
    try await run.waitForBytes(of: "long")
    #expect(origin.requests.map(\.path) == ["/long"], "there is one place")

    #expect(try await run.batch.pause("long"))
    #expect(try await run.waitForEnd(of: "short")?.isSuccess == true)
    var summary = try await run.batch.summary
    #expect([summary.paused, summary.running, summary.succeeded] == [1, 0, 1])
    #expect(run.bytes(of: "long") == nil)

    #expect(try await run.batch.resume("long"))
    summary = try await run.batch.run()
    #expect(summary.succeeded == 2 && summary.isComplete)
    let whole = Self.resource.bytes(count: 200_000)
    #expect(run.bytes(of: "long") == whole && run.bytes(of: "short") == whole)
    #expect(origin.requests.map(\.path) == ["/long", "/short", "/long"])
    let offset = try Self.offset(of: origin.requests[2])
    #expect((1...80_000).contains(offset) && origin.requests[2]["If-Range"] != nil)
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a paused batch holds each download, and goes on with all of them`() async throws {
    let origin = try await Self.origin()
    let transport = try CurlTransport()
    let run = try Run(over: Loader(transport))
    try await run.batch.store.apply(.setRules(BatchRules(limit: 3)))
    for name in ["a", "b", "c"] {
      try await run.batch.add([.download(name, Request(.get, origin.url("/" + name)), to: run.folder + "/" + name)])
    }
    run.batch.start()
    for name in ["a", "b", "c"] { try await run.waitForBytes(of: name) }
    #expect(try await run.batch.pause())
    _ = await origin.until { $0.connectionsOpen == 0 }
    #expect(origin.requests.count == 3)
    #expect(try await run.batch.resume())
    #expect(try await run.batch.run().succeeded == 3)
    for request in origin.requests.suffix(3) { #expect(try (1...80_000).contains(Self.offset(of: request))) }
    for name in ["a", "b", "c"] { #expect(run.bytes(of: name) == Self.resource.bytes(count: 200_000)) }
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a cancelled download leaves no file, and goes on with its bytes when it is reopened`() async throws {
    let origin = try await Self.origin()
    let transport = try CurlTransport()
    let run = try Run(over: Loader(transport))
    try await run.batch.add([
      .download("long", Request(.get, origin.url("/long")), to: run.folder + "/long"),
      .download("after", Request(.get, origin.url("/short")), to: run.folder + "/after", after: ["long"]),
      .download("short", Request(.get, origin.url("/short")), to: run.folder + "/short"),
    ])
    run.batch.start()
    try await run.waitForBytes(of: "long")
    #expect(try await run.batch.cancel("long"))
    #expect(try await run.waitForEnd(of: "long") == .cancelled)
    let summary = try await run.batch.run()
    #expect([summary.cancelled, summary.skipped, summary.succeeded] == [1, 1, 1])
    #expect(run.bytes(of: "long") == nil && run.bytes(of: "after") == nil)

    #expect(try await run.batch.apply(.reopen))
    let again = Batch(run.batch.store, Batch.Configuration(over: Loader(transport)))
    #expect(try await again.run().succeeded == 3)
    #expect(run.bytes(of: "long") == Self.resource.bytes(count: 200_000))
    let requests = origin.requests.filter { $0.path == "/long" }
    #expect(requests.count == 2)
    #expect(try (1...80_000).contains(Self.offset(of: requests[1])))
    await transport.shutdown()
    await origin.stop()
  }
}
