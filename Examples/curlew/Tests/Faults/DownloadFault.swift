import CurlewCore
import CurlewDigests
import CurlewTestSupport
import Foundation

/// A fault of a server, and the file that a download must end with.
struct DownloadFault: Sendable {
  enum Right: String, Sendable {
    case first, second, third
    /// There must be no file.
    case none

    var resource: SeededResource? {
      switch self {
      case .first: FaultOrigin.first
      case .second: FaultOrigin.second
      case .third: FaultOrigin.third
      case .none: nil
      }
    }
  }

  /// The name, as in the table and in paths.
  let name: String
  let right: Right
  let reply: @Sendable (FaultRequest) -> OriginReply

  init(_ name: String, _ right: Right, _ reply: @escaping @Sendable (FaultRequest) -> OriginReply) {
    self.name = name
    self.right = right
    self.reply = reply
  }

  static var all: [DownloadFault] { interruptions + changes + ranges + codings + others }

  private typealias Server = FaultOrigin.Server

  /// Connections that end early or stand still, and servers that are busy.
  private static let interruptions: [DownloadFault] = [
    .init("early", .first) { $0.serve(Server(limit: $0.isFirst ? FaultOrigin.half : nil, ending: .close)) },
    .init("clbig", .none) { _ in
      let fields: OriginFields = ["Date": FaultOrigin.now, "ETag": "\"v1\"", "Content-Length": "401000"]
      return OriginReply(.head(200, fields), .fill(FaultOrigin.first.pattern, count: 400_000), .cut)
    },
    .init("chunkrst", .first) { chunked($0, ends: [.wait(.milliseconds(300)), .reset]) },
    .init("chunkfin", .first) { chunked($0, ends: [.cut]) },
    .init("retryafter", .first) { $0.isFirst ? .status(503, "busy", ["Retry-After": "1"]) : $0.serve() },
    .init("rst", .first) { $0.interrupted { $0.serve() } },
    .init("stall", .first) { $0.interrupted(Server(ending: .stall)) { $0.serve() } },
    .init("http10", .first) { _ in FaultOrigin.unframed([:], count: 400_000) },
    .init("http10rst", .first) { asked in
      guard asked.isFirst else { return asked.serve() }
      return FaultOrigin.unframed(["ETag": "\"v1\""], count: 200_000, then: [.wait(.milliseconds(300)), .reset])
    },
  ]

  private static func chunked(_ asked: FaultRequest, ends: [OriginStep]) -> OriginReply {
    guard asked.isFirst else { return asked.serve() }
    let fields: OriginFields = ["Date": FaultOrigin.now, "ETag": "\"v1\"", "Transfer-Encoding": "chunked"]
    return OriginReply(
      [.head(200, fields)]
        + stride(from: 0, to: FaultOrigin.half, by: 8_192).map {
          .chunk(FaultOrigin.first.bytes(from: Int64($0), count: min(8_192, FaultOrigin.half - $0)))
        } + ends)
  }

  private static let new = Server(file: FaultOrigin.second, tag: "\"v2\"", date: FaultOrigin.nextDate)

  /// Files that are another version after the interruption, or another file.
  private static let changes: [DownloadFault] = [
    .init("changed", .second) { $0.interrupted { $0.serve(new) } },
    .init("changed-noifr", .second) { $0.interrupted { $0.serve(with(new) { $0.honorsIfRange = false }) } },
    .init("changed-noifr-noetag206", .second) {
      $0.interrupted {
        $0.serve(
          with(new) {
            $0.honorsIfRange = false
            $0.hasTagInPart = false
          })
      }
    },
    .init("changed-noifr-bare206", .second) {
      $0.interrupted {
        $0.serve(
          with(new) {
            $0.honorsIfRange = false
            $0.hasTagInPart = false
            $0.hasDateInPart = false
          })
      }
    },
    .init("weak", .second) {
      let server = Server(tag: "W/\"w\"", date: nil)
      return $0.interrupted(server) { $0.serve(with(server) { $0.file = FaultOrigin.second }) }
    },
    .init("lmsecond", .second) {
      // The file changes in the second in which it was served.
      let server = Server(tag: nil, date: FaultOrigin.now)
      return $0.interrupted(server) { asked in
        asked.serve(
          with(server) {
            $0.file = FaultOrigin.second
            $0.date = asked.request["If-Range"] ?? $0.date
          })
      }
    },
    .init("novalid", .second) {
      let server = Server(tag: nil, date: nil)
      return $0.interrupted(server) { $0.serve(with(server) { $0.file = FaultOrigin.second }) }
    },
    .init("shorter416", .third) {
      $0.interrupted(Server(limit: 350_000)) {
        $0.serve(Server(file: FaultOrigin.third, tag: "\"v3\"", date: FaultOrigin.nextDate, honorsIfRange: false))
      }
    },
    .init("redir", .second) { asked in
      // Another server has another file with the same tag, date and length.
      guard asked.request.query == "target" else {
        return .redirect(to: (asked.isFirst ? "" : asked.elsewhere) + asked.request.path + "?target")
      }
      guard !asked.elsewhere.isEmpty else { return asked.serve(Server(file: FaultOrigin.second)) }
      return asked.serve(Server(limit: FaultOrigin.half))
    },
    .init("lenchange", .third) {
      $0.interrupted(Server(limit: 250_000)) { $0.serve(Server(file: FaultOrigin.third)) }
    },
  ]

  /// Ranges that are not those that were asked for.
  private static let ranges: [DownloadFault] = [
    .init("cr0", .first) {
      $0.interrupted { FaultOrigin.part($0.request, from: 0, ["Content-Range": "bytes 0-399999/400000"]) }
    },
    .init("crwrong", .first) {
      $0.interrupted { asked in
        guard let offset = FaultOrigin.offset(asked.request) else { return asked.serve(Server(ignoresRange: true)) }
        let start = offset + 1_000
        return FaultOrigin.part(
          asked.request, from: start, ["Content-Range": "bytes \(start)-399999/400000"])
      }
    },
    .init("crnone", .first) {
      $0.interrupted { $0.hasRange ? FaultOrigin.part($0.request, [:]) : $0.serve() }
    },
    .init("norange", .first) {
      $0.interrupted(Server(ignoresRange: true)) { $0.serve(Server(ignoresRange: true)) }
    },
    .init("multi", .first) {
      $0.interrupted { asked in
        guard let start = FaultOrigin.offset(asked.request) else { return asked.serve() }
        let head = "\r\n--XX\r\nContent-Type: a/b\r\nContent-Range: bytes \(start)-399999/400000\r\n\r\n"
        let length = Int64(head.utf8.count) + 400_000 - start + 10
        return OriginReply(
          .head(
            206,
            [
              "Date": FaultOrigin.now, "ETag": "\"v1\"", "Content-Type": "multipart/byteranges; boundary=XX",
              "Content-Length": "\(length)",
            ]), .body(head), .fill(FaultOrigin.first.pattern, from: start, count: 400_000 - start),
          .body("\r\n--XX--\r\n"), .close)
      }
    },
    .init("tworanges", .first) {
      $0.interrupted { asked in
        guard let start = FaultOrigin.offset(asked.request) else { return asked.serve() }
        return FaultOrigin.part(
          asked.request,
          ["Content-Range": "bytes \(start)-399999/400000", "Content-Range": "bytes 0-399999/400000"])
      }
    },
  ]

  private static let compressed = FaultOrigin.gzip(FaultOrigin.first.bytes(count: 400_000))

  /// Content codings, and a digest that the file does not have.
  private static let codings: [DownloadFault] = [
    .init("gzrange", .first) {
      $0.interrupted { asked in
        guard let start = FaultOrigin.offset(asked.request).map({ min(Int($0), compressed.count - 1) }) else {
          return asked.serve()
        }
        return OriginReply(
          .head(
            206,
            [
              "Date": FaultOrigin.now, "ETag": "\"v1\"", "Content-Encoding": "gzip",
              "Content-Range": "bytes \(start)-\(compressed.count - 1)/\(compressed.count)",
              "Content-Length": "\(compressed.count - start)",
            ]), .body(Array(compressed[start...])), .close)
      }
    },
    .init("gzwhole", .first) { asked in
      let count = asked.isFirst ? compressed.count / 2 : compressed.count
      let head = OriginStep.head(
        200,
        [
          "Date": FaultOrigin.now, "ETag": "\"v1\"", "Content-Encoding": "gzip",
          "Content-Length": "\(compressed.count)",
        ])
      let ends: [OriginStep] = asked.isFirst ? [.wait(.milliseconds(300)), .reset] : [.close]
      return OriginReply([head, .body(Array(compressed[..<count]))] + ends)
    },
    .init("digest", .first) { asked in
      let digest = try? Digest.of(Data(FaultOrigin.first.bytes(count: 400_000)), .sha256).base64EncodedString()
      let fields: OriginFields = ["Repr-Digest": "sha-256=:\(digest ?? ""):"]
      return asked.serve(Server(file: asked.isFirst ? FaultOrigin.second : FaultOrigin.first, fields: fields))
    },
  ]

  /// Relatives of these that were tried later.
  private static let others: [DownloadFault] = [
    .init("nothing-204", .none) { $0.interrupted { _ in .status(204) } },
    .init("nothing-205", .none) { $0.interrupted { _ in .status(205, ["Connection": "close"]) } },
    .init("accepted-202", .none) { $0.interrupted { _ in .status(202, "wait", ["Connection": "close"]) } },
    .init("unchanged-304", .none) { $0.interrupted { _ in .status(304, ["ETag": "\"v1\""]) } },
    .init("http10-short", .none) {
      $0.interrupted { _ in FaultOrigin.unframed(["ETag": "\"v1\""], count: 100_000) }
    },
    .init("chunked-short", .none) {
      $0.interrupted { _ in
        .chunked(["short"], ["ETag": "\"v1\"", "Last-Modified": FaultOrigin.firstDate, "Connection": "close"])
      }
    },
    .init("redirect-path", .second) { asked in
      guard asked.request.path.split(separator: "/").count < 3 else {
        return asked.request.path.hasSuffix("/1")
          ? asked.serve(Server(limit: FaultOrigin.half)) : asked.serve(Server(file: FaultOrigin.second))
      }
      return .redirect(to: asked.request.path + (asked.isFirst ? "/1" : "/2"))
    },
    .init("redirect-query", .second) { asked in
      switch asked.request.query {
      case "v=1": asked.serve(Server(limit: FaultOrigin.half))
      case "v=2": asked.serve(Server(file: FaultOrigin.second))
      default: .redirect(to: asked.request.path + (asked.isFirst ? "?v=1" : "?v=2"))
      }
    },
    .init("long-tag", .first) {
      let server = Server(tag: "\"\(String(repeating: "e", count: 70_000))\"")
      return $0.interrupted(server) { $0.serve(server) }
    },
    .init("same-tag-other-date", .second) {
      $0.interrupted {
        $0.serve(Server(file: FaultOrigin.second, date: FaultOrigin.nextDate, honorsIfRange: false))
      }
    },
    .init("date-only-bare206", .second) {
      $0.interrupted(Server(tag: nil)) {
        $0.serve(
          Server(
            file: FaultOrigin.second, tag: nil, date: FaultOrigin.nextDate, hasDateInPart: false, honorsIfRange: false))
      }
    },
    .init("unknown-length-416", .third) { asked in
      guard asked.isFirst else {
        return asked.serve(Server(file: FaultOrigin.third, tag: "\"v3\"", honorsIfRange: false))
      }
      return FaultOrigin.unframed(["ETag": "\"v1\""], count: 300_000, then: [.wait(.milliseconds(300)), .reset])
    },
  ]

  private static func with(_ server: Server, _ change: (inout Server) -> Void) -> Server {
    var server = server
    change(&server)
    return server
  }
}
