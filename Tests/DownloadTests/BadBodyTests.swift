import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewDownload

/// Bodies that are not what their heads say, over each transport: what is kept is right, whatever came.
@Suite(.timeLimit(.minutes(10))) struct BadBodyTests {
  private let resource = SeededResource(length: 100_000, seed: 3)

  /// Downloads the rest behind 40,000 bytes from a server that always answers the same.
  private func run(
    _ carrier: Carrier, knowsTotal: Bool = true, _ reply: OriginReply,
    _ check: (NetworkError?, Site) async throws -> Void
  ) async throws {
    let origin = try await ScriptedOrigin.start { _ in reply }
    let site = try Site()
    try await site.keep(40_000, of: resource, from: origin.url("/f"), knowsTotal: knowsTotal)
    try await carrier.withLoader { loader in
      let error = await failure(of: site.download(loader, origin.url("/f")))
      let kept = try #require(site.kept())
      #expect(kept == resource.bytes(count: kept.count) && kept.count >= 40_000)
      #expect(site.contents() == nil && site.memory.openFiles == 0)
      #expect(error?.details.resumption?.completedBytes == Int64(kept.count))
      try await check(error, site)
    }
    await origin.stop()
  }

  private var part: OriginFields { ["Content-Range": "bytes 40000-99999/100000", "ETag": resource.entityTag ?? ""] }

  @Test(arguments: Carrier.allCases) func `a 206 whose connection ends before its range does is truncated`(
    carrier: Carrier
  ) async throws {
    let reply = OriginReply(
      .head(206, part.merging(["Content-Length": "60000"])), .fill(resource.pattern, from: 40_000, count: 30_000), .cut)
    try await run(carrier, reply) { error, site in
      #expect(error?.kind == .truncatedBody || error?.kind == .connectionLost)
      #expect(site.kept()?.count ?? 0 <= 70_000)
    }
  }

  @Test(arguments: Carrier.allCases) func `a 206 that ends in good order before its range does is truncated`(
    carrier: Carrier
  ) async throws {
    let reply = OriginReply(
      .head(206, part.merging(["Transfer-Encoding": "chunked"])),
      .chunk(resource.bytes(from: 40_000, count: 30_000)), .trailers())
    try await run(carrier, reply) { error, site in
      #expect(error?.kind == .truncatedBody)
      #expect(site.kept()?.count == 70_000)
    }
  }

  @Test(arguments: Carrier.allCases) func `a 206 that is longer than its range is refused`(
    carrier: Carrier
  ) async throws {
    let reply = OriginReply(
      .head(206, part.merging(["Transfer-Encoding": "chunked"])),
      .chunk(resource.bytes(from: 40_000, count: 60_000)), .chunk("and more"), .trailers())
    try await run(carrier, reply) { error, site in
      #expect(error?.kind == .protocolViolation)
      #expect(site.kept()?.count ?? 0 <= 100_000)
    }
  }

  /// Not over URLSession, where such a length ends the process in Foundation 6.3.1 (`FoundationTrapTests`).
  @Test func `a length of nearly 2 to the 63rd is refused before a byte is stored`() async throws {
    let most = Int64.max
    let whole = OriginReply(
      .head(200, ["Content-Length": "\(most)", "ETag": "\"v2\""]), .fill(.repeating(7), count: 100_000), .cut)
    try await run(.curl, whole) { _, site in #expect(site.kept()?.count == 40_000) }
    let rest = OriginReply(
      .head(
        206,
        [
          "Content-Length": "\(most - 40_000)", "Content-Range": "bytes 40000-\(most - 1)/\(most)",
          "ETag": resource.entityTag ?? "",
        ]), .fill(.repeating(7), count: 100_000), .cut)
    try await run(.curl, knowsTotal: false, rest) { _, site in #expect(site.kept()?.count == 40_000) }
  }

  @Test(arguments: Carrier.allCases) func `a digest field of a megabyte is ignored, or refused with the bytes kept`(
    carrier: Carrier
  ) async throws {
    let long = "sha-256=:\(String(repeating: "A", count: 1 << 20)):"
    let resource = resource
    let origin = try await ScriptedOrigin.start { request in
      resource.with { $0.fields = ["Repr-Digest": long] }.reply(to: request)
    }
    let site = try Site()
    try await site.keep(40_000, of: resource, from: origin.url("/f"))
    try await carrier.withLoader { loader in
      let outcome = await site.download(loader, origin.url("/f")).outcomeOfRun
      if let error = outcome.error {
        #expect((error as? NetworkError)?.details.resumption?.completedBytes == 40_000)
        #expect(site.kept() == resource.bytes(count: 40_000) && site.contents() == nil)
      } else {
        #expect(site.contents() == resource.bytes(count: 100_000))
      }
    }
    await origin.stop()
  }

  @Test(arguments: Carrier.allCases) func `a file that changes while its body runs is fetched whole`(
    carrier: Carrier
  ) async throws {
    let gate = OriginGate()
    let (old, new) = (resource, SeededResource(length: 100_000, seed: 4))
    let origin = try await ScriptedOrigin.start { request in
      guard request["Range"] == nil else { return new.reply(to: request) }
      return OriginReply(
        .head(200, ["Content-Length": "100000", "ETag": old.entityTag ?? ""]), .fill(old.pattern, count: 60_000),
        .wait(for: gate), .cut)
    }
    let site = try Site()
    try await carrier.withLoader { loader in
      let download = site.download(loader, origin.url("/f")) { $0.retry = RetryPolicy(limit: 1, delay: .fixed(.zero)) }
      let outcome = Task { await download.outcomeOfRun }
      await wait(while: download.downloadProgress.current.completed < 60_000)
      gate.open()
      #expect(await outcome.value.error == nil)
      #expect(site.contents() == new.bytes(count: 100_000))
      #expect(download.file.validator == EntityValidator.entityTag("100000-4"))
    }
    #expect(origin.requests.map { $0["If-Range"] } == [nil, old.entityTag])
    await origin.stop()
  }

  @Test func `a server that lies about its ranges is found out by the digest`() async throws {
    let resource = resource
    // It always sends the beginning, whatever range it says that it sends.
    let origin = try await ScriptedOrigin.start { request in
      guard request["Range"] != nil else { return resource.reply(to: request) }
      return OriginReply(
        .head(206, ["Content-Length": "60000", "Content-Range": "bytes 40000-99999/100000"]),
        .fill(resource.pattern, count: 60_000))
    }
    let site = try Site()
    try await site.keep(40_000, of: resource, from: origin.url("/f"))
    let expected = try digest(resource.bytes(count: 100_000))
    try await Carrier.curl.withLoader { loader in
      let result = try await site.download(loader, origin.url("/f")) { $0.file.verification.expected = expected }.run()
      #expect(result.verified == expected && result.resumedFrom == 0)
    }
    #expect(site.contents() == resource.bytes(count: 100_000))
    await origin.stop()
  }
}
