import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewDownload

@Suite(.timeLimit(.minutes(10))) struct ResumableMemorySinkTests {
  private let resource = SeededResource(length: 100_000, seed: 3)

  private func run(
    _ carrier: Carrier, limit: Int = 1 << 20, retries: Int = 1, cut: Int64? = 60_000,
    _ range: @escaping @Sendable (OriginRequest) -> OriginReply
  ) async throws -> (Data?, [String?]) {
    let resource = resource
    let isFirst = Guarded(true)
    let origin = try await ScriptedOrigin.start { request in
      if request["Range"] != nil { return range(request) }
      let first = isFirst.withLock { first in
        defer { first = false }
        return first
      }
      guard first, let cut else { return resource.reply(to: request) }
      return resource.reply(to: request).cut(after: cut)
    }
    let url = origin.url("/f")
    defer { Task { await origin.stop() } }
    return try await carrier.withLoader { loader in
      var configuration = Transfer<TransferResult>.Configuration(
        request: { _ in Request(.get, url) }, to: ResumableMemorySink(limit: limit)
      ) { $0 }
      configuration.retry = RetryPolicy(limit: retries, delay: .fixed(.zero))
      // The app's own answer does not replace the sink's.
      configuration.shouldRetry = { _, _ in .byPolicy }
      let transfer = Transfer(loader, configuration)
      let data = try await transfer.run().content.data
      #expect(transfer.downloadProgress.current.completed == 100_000)
      return (data, origin.requests.map { $0["Range"] })
    }
  }

  @Test(arguments: Carrier.allCases) func `bytes in memory are gone on with`(carrier: Carrier) async throws {
    let (data, ranges) = try await run(carrier) { [resource] in resource.reply(to: $0) }
    #expect(data == Data(resource.bytes(count: 100_000)))
    #expect(ranges.count == 2 && ranges[1] != nil)
  }

  @Test func `an answer with the whole begins anew, and a useless range asks for it`() async throws {
    let (data, _) = try await run(.curl) { [resource] in resource.with { $0.servesRanges = false }.reply(to: $0) }
    #expect(data == Data(resource.bytes(count: 100_000)))
    let (again, ranges) = try await run(.curl) { _ in .status(416, ["Content-Range": "bytes */5"]) }
    #expect(again == Data(resource.bytes(count: 100_000)))
    #expect(ranges.count == 3 && ranges[2] == nil)
  }

  @Test(arguments: [false, true])
  func `bytes of another URL need a proof, however often that URL was asked`(isOther: Bool) async throws {
    let sink = ResumableMemorySink(limit: 100)
    let first = try Request(.get, "https://a.example/f")
    let next = try Request(.get, isOther ? "https://b.example/f" : "https://a.example/f")
    _ = try await sink.prepare(first, AttemptContext())
    let writer = try await sink.open(
      ResponseHead(url: first.url, status: .ok, headerFields: [.eTag: "\"v1\"", .contentLength: "10"]),
      AttemptContext())
    _ = try writer.receive(chunk: Data("01234".utf8))
    await writer.abandon()
    for number in 2...3 { _ = try await sink.prepare(next, AttemptContext(number: number)) }
    // The entity tag proves the file only at the same URL.
    let rest = ResponseHead(
      url: next.url, status: .partialContent, headerFields: [.contentRange: "bytes 5-9/10", .eTag: "\"v1\""])
    let offset = try? await sink.open(rest, AttemptContext(number: 3)).offset
    #expect(offset == (isOther ? nil : 5))
  }

  @Test func `one byte above the limit is refused`() async throws {
    let error = await #expect(throws: NetworkError.self) {
      _ = try await run(.curl, limit: 99_999, cut: nil) { [resource] in resource.reply(to: $0) }
    }
    #expect(error?.kind == .bodyTooLarge && error?.message.hasPrefix("The body is larger than ") == true)
  }
}
