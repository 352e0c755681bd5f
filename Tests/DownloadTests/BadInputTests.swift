import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewDownload

/// Answers that no server should give, over each transport: the download ends with a typed error or the right file, and the
/// bytes that were kept are as they were until the right ones come.
@Suite(.timeLimit(.minutes(10))) struct BadInputTests {
  private static let resource = SeededResource(length: 100_000, seed: 3)
  private static let rest = BytePattern.seeded(3)

  /// An answer to a request for the rest.
  struct Answer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reply: OriginReply

    init(_ name: String, _ fields: OriginFields, count: Int64 = 60_000, status: Int = 206) {
      testDescription = name
      reply = OriginReply(
        .head(status, fields), .fill(BadInputTests.rest, from: 40_000, count: count))
    }
  }

  private static let answers: [Answer] = [
    Answer("no Content-Range", ["Content-Length": "60000"]),
    Answer(
      "another unit", ["Content-Length": "60000", "Content-Range": "lines 40000-99999/100000"]),
    Answer(
      "a range the wrong way round",
      ["Content-Length": "60000", "Content-Range": "bytes 99999-40000/100000"]),
    Answer(
      "a range beyond the total",
      ["Content-Length": "60001", "Content-Range": "bytes 40000-100000/*"], count: 60_001),
    Answer(
      "a total that shrinks by one",
      ["Content-Length": "59999", "Content-Range": "bytes 40000-99998/99999"], count: 59_999),
    Answer(
      "a length that is not the range's",
      ["Content-Length": "50000", "Content-Range": "bytes 40000-99999/100000"], count: 50_000),
    Answer(
      "gzip on a part",
      [
        "Content-Length": "60000", "Content-Range": "bytes 40000-99999/100000",
        "Content-Encoding": "gzip",
      ]),
    Answer(
      "another tag",
      ["Content-Length": "60000", "Content-Range": "bytes 40000-99999/100000", "ETag": "\"other\""]),
    Answer(
      "a weak tag",
      [
        "Content-Length": "60000", "Content-Range": "bytes 40000-99999/100000",
        "ETag": "W/\"100000-3\"",
      ]),
    Answer(
      "parts", ["Content-Length": "60000", "Content-Type": "multipart/byteranges; boundary=x"]),
    Answer(
      "a part from before", ["Content-Length": "40000", "Content-Range": "bytes 0-39999/100000"],
      count: 40_000),
    Answer(
      "two ranges of the same part",
      [
        "Content-Length": "60000", "Content-Range": "bytes 40000-99999/100000",
        "Content-Range": "bytes 40000-99999/100000",
      ]),
    Answer(
      "two ranges of different parts",
      [
        "Content-Length": "60000", "Content-Range": "bytes 40000-99999/100000", "Content-Range": "bytes 0-59999/100000",
      ]),
    Answer("416 without a range", ["Content-Length": "60000"], status: 416),
    Answer(
      "416 of a total that is no number",
      ["Content-Length": "60000", "Content-Range": "bytes */-1"], status: 416),
  ]

  @Test(arguments: Carrier.allCases, Self.answers)
  func `a useless answer to a request for the rest has the whole asked for, once`(
    carrier: Carrier, answer: Answer
  ) async throws {
    let origin = try await ScriptedOrigin.start { request in
      request["Range"] == nil ? Self.resource.reply(to: request) : answer.reply
    }
    let site = try Site()
    try await site.keep(40_000, of: Self.resource, from: origin.url("/f"))
    try await carrier.withLoader { loader in
      _ = try await site.download(loader, origin.url("/f")).run()
    }
    #expect(site.contents() == Self.resource.bytes(count: 100_000))
    #expect(origin.requests.map { $0["Range"] } == ["bytes=40000-", nil])
    let names = try site.names()
    #expect(names == ["file.bin"])
    await origin.stop()
  }

  @Test(arguments: Carrier.allCases, Self.answers)
  func `a server that answers uselessly for ever ends a download with the old bytes kept`(
    carrier: Carrier, answer: Answer
  ) async throws {
    // Without a range the answer is refused as well, or is an error.
    let origin = try await ScriptedOrigin.start { request in
      request["Range"] == nil ? .status(500, "broken") : answer.reply
    }
    let site = try Site()
    try await site.keep(40_000, of: Self.resource, from: origin.url("/f"))
    try await carrier.withLoader { loader in
      let error = await failure(of: site.download(loader, origin.url("/f")))
      #expect(error?.kind == .unacceptableStatus)
      #expect(error?.details.resumption?.completedBytes == 40_000)
    }
    #expect(site.kept() == Self.resource.bytes(count: 40_000) && site.contents() == nil)
    await origin.stop()
  }

  @Test(arguments: Carrier.allCases) func `a range in small pieces is asked for piece by piece`(
    carrier: Carrier
  ) async throws {
    let origin = try await ScriptedOrigin.start { request in
      guard let start = request["Range"].flatMap({ Int64($0.dropFirst(6).dropLast()) }) else {
        return Self.resource.reply(to: request)
      }
      let end = min(100_000, start + 25_000)
      guard start < end else { return .status(416, ["Content-Range": "bytes */100000"]) }
      return OriginReply(
        .head(
          206,
          [
            "Content-Length": "\(end - start)", "Content-Range": "bytes \(start)-\(end - 1)/100000",
            "ETag": Self.resource.entityTag ?? "",
          ]),
        .fill(Self.rest, from: start, count: end - start))
    }
    let site = try Site()
    try await site.keep(40_000, of: Self.resource, from: origin.url("/f"))
    try await carrier.withLoader { loader in
      let result = try await site.download(loader, origin.url("/f")).run()
      #expect(result.resumedFrom == 40_000)
    }
    #expect(site.contents() == Self.resource.bytes(count: 100_000))
    #expect(
      origin.requests.map { $0["Range"] } == ["bytes=40000-", "bytes=65000-", "bytes=90000-"])
    await origin.stop()
  }
}
