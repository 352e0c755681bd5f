import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewTool

@Suite struct RetryTests {
  private func fetch(
    _ script: [OriginReply], retries: Int, _ method: HTTPRequest.Method = .get,
    check: (FetchResult, _ content: String?) throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/curlew-retry-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let origin = try await ScriptedOrigin.start(script: script)
    let transport = try CurlTransport()
    let policy = retries > 0 ? RetryPolicy(limit: retries, delay: .fixed(.zero)) : nil
    let options = Fetcher.Options(hashes: true, retry: policy)
    let fetcher = Fetcher(loader: Loader(transport), options: options) { _ in ExchangeSettings() }
    let fetch = Fetch(
      index: 0, url: origin.address("/a.txt"), request: Request(method, origin.url("/a.txt")),
      destination: .directory(folder))
    let result = await fetcher.fetch(fetch, meter: TransferMeter(name: "a"))
    await transport.shutdown()
    #expect(origin.requests.count == result.attempts)
    await origin.stop()
    let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    #expect(files.count == (result.failure == nil ? 1 : 0))
    let content = result.file.flatMap { FileManager.default.contents(atPath: $0) }
    try check(result, content.map { String(decoding: $0, as: UTF8.self) })
  }

  private static let unwell: [OriginReply] = [.status(503, "busy"), .ok("0123456789").cut(after: 85), .ok("whole")]

  @Test func `a refused status and a cut body are tried again, and the file is whole`() async throws {
    try await fetch(Self.unwell, retries: 3) { result, content in
      #expect(result.failure == nil && content == "whole" && result.bytes == 5)
      #expect(result.attempts == 3)
      #expect(ReportLine(result: result).text.contains("\"attempts\":3"))
    }
  }

  @Test func `without --retry there is one attempt, and its end is the result's`() async throws {
    try await fetch(Self.unwell, retries: 0) { result, _ in
      #expect(result.failure?.kind == "unacceptable-status" && result.attempts == 1)
    }
  }

  @Test func `the attempts end, and what cannot pass or is not safe is not tried again`() async throws {
    try await fetch([.status(503, "busy")], retries: 2) { result, _ in
      #expect(result.failure?.kind == "unacceptable-status" && result.attempts == 3)
    }
    try await fetch([.status(404, "gone")], retries: 2) { result, _ in
      #expect(result.failure?.kind == "unacceptable-status" && result.attempts == 1)
    }
    try await fetch([.status(503, "busy")], retries: 2, .post) { result, _ in
      #expect(result.failure?.kind == "unacceptable-status" && result.attempts == 1)
    }
  }
}
