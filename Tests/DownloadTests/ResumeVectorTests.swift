import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewDownload

/// What servers answer to the rest of a file of 100,000 bytes, over each transport.
@Suite(.timeLimit(.minutes(10))) struct ResumeVectorTests {
  private static let kept = 40_000
  private let resource = SeededResource(length: 100_000, seed: 3)
  private var whole: [UInt8] { resource.bytes(count: 100_000) }

  /// Runs a download against answers to requests with a range; those without get the whole.
  private func run(
    _ carrier: Carrier, keeping count: Int = kept, of old: SeededResource? = nil,
    whole reply: (@Sendable (OriginRequest) -> OriginReply)? = nil,
    range: @escaping @Sendable (OriginRequest) -> OriginReply,
    _ check: (Downloader, Site, ScriptedOrigin) async throws -> Void
  ) async throws {
    let resource = resource
    let origin = try await ScriptedOrigin.start { request in
      request["Range"] != nil ? range(request) : reply?(request) ?? resource.reply(to: request)
    }
    let site = try Site()
    try await site.keep(count, of: old ?? resource, from: origin.url("/f"))
    try await carrier.withLoader { loader in
      try await check(site.download(loader, origin.url("/f")), site, origin)
    }
    await origin.stop()
    #expect(site.memory.openFiles == 0)
  }

  private func expectWhole(_ download: Downloader, _ site: Site, resumedFrom: Int64) async throws {
    let result = try await download.run()
    #expect(site.contents() == whole)
    #expect(result.length == 100_000 && result.resumedFrom == resumedFrom && result.path == Site.path)
    #expect(try site.names() == ["file.bin"])
    #expect(
      download.downloadProgress.current.completed == 100_000 && download.downloadProgress.current.total == 100_000)
  }

  private func part(_ range: ClosedRange<Int64>, _ contentRange: String, _ fields: OriginFields = [:]) -> OriginReply {
    OriginReply(
      .head(
        206,
        (["Content-Length": "\(range.count)", "Content-Range": contentRange, "ETag": resource.entityTag ?? ""]
          as OriginFields).merging(fields)),
      .fill(resource.pattern, from: range.lowerBound, count: Int64(range.count)))
  }

  @Test(arguments: Carrier.allCases) func `a 206 with the rest completes the file`(carrier: Carrier) async throws {
    try await run(carrier) { [resource] in
      resource.reply(to: $0)
    } _: { download, site, origin in
      try await expectWhole(download, site, resumedFrom: 40_000)
      #expect(origin.requests.count == 1)
      let request = try #require(origin.requests.first)
      #expect(request["Range"] == "bytes=40000-" && request["If-Range"] == resource.entityTag)
      #expect(request["Accept-Encoding"] == "identity")
    }
  }

  @Test(arguments: Carrier.allCases) func `a 200 with the whole begins anew`(carrier: Carrier) async throws {
    try await run(carrier) { [resource] in
      resource.with { $0.servesRanges = false }.reply(to: $0)
    } _: {
      try await expectWhole($0, $1, resumedFrom: 0)
      #expect($2.requests.count == 1)
    }
  }

  @Test(arguments: Carrier.allCases) func `a 206 from the beginning replaces what is kept`(
    carrier: Carrier
  ) async throws {
    let reply = part(0...99_999, "bytes 0-99999/100000")
    try await run(carrier) { _ in
      reply
    } _: { d, s, _ in
      try await expectWhole(d, s, resumedFrom: 0)
    }
  }

  @Test(arguments: Carrier.allCases) func `a 206 that starts past the offset has the whole asked for, once`(
    carrier: Carrier
  ) async throws {
    let reply = part(50_000...99_999, "bytes 50000-99999/100000")
    try await run(carrier) { _ in
      reply
    } _: {
      try await expectWhole($0, $1, resumedFrom: 0)
      #expect($2.requests.map { $0["Range"] } == ["bytes=40000-", nil])
    }
  }

  @Test(arguments: Carrier.allCases) func `a 206 of another length begins anew`(carrier: Carrier) async throws {
    let reply = part(40_000...99_998, "bytes 40000-99998/99999")
    try await run(carrier) { _ in
      reply
    } _: {
      try await expectWhole($0, $1, resumedFrom: 0)
      #expect($2.requests.map { $0["Range"] } == ["bytes=40000-", nil])
    }
  }

  @Test(arguments: Carrier.allCases) func `a 416 for a complete file is a success`(carrier: Carrier) async throws {
    try await run(carrier, keeping: 100_000) { [resource] in
      resource.reply(to: $0)
    } _: {
      try await expectWhole($0, $1, resumedFrom: 100_000)
      #expect($2.requests.count == 1)
    }
  }

  @Test(arguments: Carrier.allCases) func `a 416 with an endless body is not read`(carrier: Carrier) async throws {
    // Without a limit the body could keep Foundation's only queue busy; see URLSessionTransport.
    let reply = OriginReply(
      .head(416, ["Content-Range": "bytes */100000", "Transfer-Encoding": "chunked"]),
      .rate(20_000_000), .chunks(.repeating(7), count: 1 << 40))
    try await run(carrier, keeping: 100_000) { _ in
      reply
    } _: { d, s, _ in
      try await expectWhole(d, s, resumedFrom: 100_000)
    }
    try await run(carrier) { _ in
      reply
    } _: { d, s, _ in
      try await expectWhole(d, s, resumedFrom: 0)
    }
  }

  @Test(arguments: Carrier.allCases) func `a 416 of a shorter file begins anew, once`(carrier: Carrier) async throws {
    try await run(carrier) { _ in
      .status(416, ["Content-Range": "bytes */50000"])
    } _: {
      try await expectWhole($0, $1, resumedFrom: 0)
      #expect($2.requests.map { $0["Range"] } == ["bytes=40000-", nil])
    }
    try await run(carrier, whole: { _ in .status(416, ["Content-Range": "bytes */50000"]) }) { _ in
      .status(416, ["Content-Range": "bytes */50000"])
    } _: { download, site, origin in
      let error = await failure(of: download)
      #expect(error?.kind == .unacceptableStatus && origin.requests.count == 2)
      #expect(site.kept() == resource.bytes(count: 40_000))
    }
  }

  @Test(arguments: Carrier.allCases) func `a 404 with a body fails and keeps the bytes`(carrier: Carrier) async throws {
    try await run(carrier) { _ in
      .status(404, "There is no such file.")
    } _: { download, site, _ in
      let error = await failure(of: download)
      #expect(error?.kind == .unacceptableStatus)
      #expect(error?.details.responseBody == Data("There is no such file.".utf8))
      #expect(error?.details.resumption?.completedBytes == 40_000)
      #expect(site.kept() == resource.bytes(count: 40_000) && site.contents() == nil)
    }
  }

  @Test(arguments: Carrier.allCases) func `a changed file is fetched whole`(carrier: Carrier) async throws {
    let old = SeededResource(length: 90_000, seed: 4)
    try await run(carrier, of: old) { [resource] in
      resource.reply(to: $0)
    } _: {
      try await expectWhole($0, $1, resumedFrom: 0)
      #expect($2.requests.count == 1)
    }
  }

  @Test(arguments: Carrier.allCases) func `with a weak tag alone no range is asked for`(carrier: Carrier) async throws {
    let weak = resource.with {
      $0.entityTag = "W/\"x\""
      $0.lastModified = nil
    }
    try await run(carrier, of: weak) { [resource] in
      resource.reply(to: $0)
    } _: {
      try await expectWhole($0, $1, resumedFrom: 0)
      #expect($2.requests.map { $0["Range"] } == [nil])
    }
  }

  @Test(arguments: Carrier.allCases) func `a connection that drops leaves an error that says where to go on`(
    carrier: Carrier
  ) async throws {
    let cuts = Guarded(0)
    let resource = resource
    let reply: @Sendable (OriginRequest) -> OriginReply = { request in
      let isFirst = cuts.withLock { cuts in
        cuts += 1
        return cuts == 1
      }
      return isFirst ? resource.reply(to: request).cut(after: 30_000) : resource.reply(to: request)
    }
    try await run(carrier, range: reply) { download, site, origin in
      let error = await failure(of: download)
      let handle = try #require(error?.details.resumption as? ResumeHandle)
      #expect(handle.completedBytes > 40_000 && handle.completedBytes <= 70_000 && handle.state.total == 100_000)
      #expect(Int64(site.kept()?.count ?? 0) == handle.completedBytes)
      try await carrier.withLoader { loader in
        try await expectWhole(site.download(loader, origin.url("/f")), site, resumedFrom: handle.completedBytes)
      }
    }
    cuts.withLock { $0 = 0 }
    try await run(carrier, range: reply) { _, site, origin in
      try await carrier.withLoader { loader in
        let download = site.download(loader, origin.url("/f")) {
          $0.retry = RetryPolicy(limit: 1, delay: .fixed(.zero))
        }
        try await expectWhole(download, site, resumedFrom: 40_000)
        #expect(download.attemptCount == 2)
      }
    }
  }
}
