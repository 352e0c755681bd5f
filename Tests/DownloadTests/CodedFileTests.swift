import CurlewContentCoding
import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewDownload

/// Files that a server compresses although it was asked for them as they are.
@Suite(.timeLimit(.minutes(10))) struct CodedFileTests {
  @Test(arguments: Carrier.allCases)
  func `a file that comes compressed is decoded, and none of it is asked for again in parts`(
    carrier: Carrier
  ) async throws {
    let whole = SeededResource(length: 100_000, seed: 3).bytes(count: 100_000)
    guard case .bytes(let coded) = try Body.bytes(Data(whole)).gzipped().source else {
      Issue.record("The body was not compressed.")
      return
    }
    let reply = OriginReply.ok(
      [UInt8](coded), type: "application/octet-stream", ["Content-Encoding": "gzip", "ETag": "\"v1\""])
    let isFirst = Guarded(true)
    let origin = try await ScriptedOrigin.start { _ in
      let first = isFirst.withLock { first in
        defer { first = false }
        return first
      }
      return first ? reply.cut(after: 60_000) : reply
    }
    let site = try Site()
    try await carrier.withLoader { loader in
      let error = await failure(of: site.download(loader, origin.url("/f")))
      #expect(error?.details.resumption == nil)
      #expect(try site.names() == [])
      let result = try await site.download(loader, origin.url("/f")).run()
      #expect(result.length == 100_000 && result.resumedFrom == 0)
    }
    #expect(site.contents() == whole)
    #expect(origin.requests.map { $0["Range"] } == [nil, nil])
    #expect(origin.requests.allSatisfy { $0["Accept-Encoding"] == "identity" })
    await origin.stop()
  }
}
