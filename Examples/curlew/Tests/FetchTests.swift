import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import CurlewJSON
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import CurlewTool

@Suite struct FetchTests {
  /// Fetches paths of an origin into a folder that is gone afterwards.
  private func fetching(
    _ paths: [String], maxSize: Int64? = nil, handler: @escaping ScriptedOrigin.Handler,
    check: ([FetchResult], _ folder: String) throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/curlew-fetch-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let origin = try await ScriptedOrigin.start(handler: handler)
    let transport = try CurlTransport()
    let options = Fetcher.Options(maxSize: maxSize, hashes: true)
    let fetcher = Fetcher(loader: Loader(transport), options: options) { _ in ExchangeSettings() }
    let fetches = paths.enumerated().map { index, path in
      Fetch(
        index: index, url: origin.address(path), request: Request(.get, origin.url(path)),
        destination: .directory(folder))
    }
    let display = ProgressDisplay(.none, count: fetches.count, showsBody: false)
    let results = Results()
    try await FetchRun(fetcher: fetcher, display: display, parallel: 4).run(fetches) { result in
      results.all.withLock { $0.append(result) }
    }
    await transport.shutdown()
    await origin.stop()
    try check(results.all.withLock { $0 }.sorted { $0.fetch.index < $1.fetch.index }, folder)
  }

  private func names(_ folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  @Test func `each body is in a file of its own, and the results say which and what`() async throws {
    try await fetching(["/a.txt", "/b/a.txt", "/c"]) { request in
      .ok("body of \(request.path)")
    } check: { results, folder in
      #expect(results.allSatisfy { $0.failure == nil && $0.digest?.count == 64 })
      #expect(names(folder) == ["a-2.txt", "a.txt", "c"])
      for result in results {
        let data = FileManager.default.contents(atPath: try #require(result.file))
        #expect(data.map { String(decoding: $0, as: UTF8.self) } == "body of \(result.fetch.request.url.path)")
        #expect(result.bytes == Int64(data?.count ?? -1))
      }
    }
  }

  @Test(arguments: [404, 500])
  func `no byte of an error's body is in a file`(status: Int) async throws {
    try await fetching(["/a"]) { _ in
      .status(status, "an error page")
    } check: { results, folder in
      #expect(results.first?.failure?.kind == "unacceptable-status")
      #expect(results.first?.head?.status.code == status)
      #expect(names(folder) == [])
    }
  }

  @Test func `a body that is cut off is a failure and leaves no file`() async throws {
    try await fetching(["/a"]) { _ in
      OriginReply.ok(.seeded(1), count: 100_000).cut(after: 50_000)
    } check: { results, folder in
      #expect(results.first?.failure?.stage == .receivingBody)
      #expect(results.first?.file == nil)
      #expect(names(folder) == [])
    }
  }

  @Test(arguments: [true, false])
  func `a body larger than --max-size is refused, announced or not`(announced: Bool) async throws {
    try await fetching(["/a"], maxSize: 1000) { _ in
      announced ? .ok(.seeded(1), count: 5000) : .chunked(.seeded(1), count: 5000)
    } check: { results, folder in
      #expect(results.first?.failure?.kind == "body-too-large")
      #expect(names(folder) == [])
    }
  }

  @Test func `an agent tries again as often as it was told`() async throws {
    let origin = try await ScriptedOrigin.start(script: [.status(503, "busy"), .status(503, "busy"), .ok("whole")])
    let session = try ToolSession(try ConnectionArguments.parse([]), parallel: 1, trace: nil)
    let line = Data(#"{"id":1,"url":"\#(origin.address("/"))"}"#.utf8)
    for (limit, status, requests) in [(1, 503, 2), (2, 200, 3)] {
      let policy = RetryPolicy(limit: limit, delay: .fixed(.zero))
      let worker = AgentWorker(session: session, limit: nil, retry: policy) { _ in }
      let answer = JSONValue.object(await worker.answer(line))
      #expect(answer["status"]?.intValue == status)
      #expect(origin.requests.count == requests)
    }
    try await session.end()
    await origin.stop()
  }

  @Test func `an agent's answer holds interim heads, fields, trailers and body`() async throws {
    let origin = try await ScriptedOrigin.start { _ in
      OriginReply.chunked(["hel", "lo"], ["X-A": "1"], trailers: ["X-Sum": "5"]).after(.interim(103, ["Link": "<a>"]))
    }
    let session = try ToolSession(try ConnectionArguments.parse([]), parallel: 1, trace: nil)
    let worker = AgentWorker(session: session, limit: nil) { _ in }
    let line = #"{"id":"x","url":"\#(origin.address("/"))","headers":[["TE","trailers"]]}"#
    let answer = JSONValue.object(await worker.answer(Data(line.utf8)))
    try await session.end()
    await origin.stop()
    #expect(answer["id"]?.stringValue == "x")
    #expect(answer["status"]?.intValue == 200)
    #expect(answer["body"]?.stringValue == Data("hello".utf8).base64EncodedString())
    #expect(answer["interim"]?[0]?["status"]?.intValue == 103)
    #expect(answer["trailers"]?[0]?[1]?.stringValue == "5")
    #expect(answer["finalURL"]?.stringValue == origin.address("/"))
  }
}

private final class Results: Sendable {
  let all = Mutex<[FetchResult]>([])
}
