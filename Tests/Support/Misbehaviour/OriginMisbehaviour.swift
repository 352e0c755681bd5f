import CurlewCore
package import CurlewTestSupport

/// A way in which a server misbehaves, with the expected outcome for the client.
///
/// Each one ends by itself except those that expect `timesOut`.
package struct OriginMisbehaviour: Sendable, CustomStringConvertible {
  /// The outcome of a GET of a correct client.
  package enum Expectation: Sendable, Hashable {
    /// 200 with this body.
    case succeeds(String)
    /// An error; never a success with a short or wrong body.
    case fails
    /// 200 with this body, or an error; both are correct.
    case succeedsOrFails(String)
    /// The client's own timeout.
    case timesOut
  }

  /// The name, which is unique and can be part of a URL path.
  package let name: String
  /// The outcome that is expected of a correct client.
  package let expectation: Expectation
  /// The reply of the origin.
  package let reply: OriginReply

  /// Creates a misbehaviour.
  package init(_ name: String, _ expectation: Expectation, _ reply: OriginReply) {
    self.name = name
    self.expectation = expectation
    self.reply = reply
  }

  /// The name of the misbehaviour.
  package var description: String { name }

  /// Answers `/<name>` with the misbehaviour of that name, and other paths with 404.
  package static let handler: ScriptedOrigin.Handler = { request in
    byName[String(request.path.dropFirst())]?.reply ?? .status(404)
  }

  private static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

  /// All misbehaviours.
  package static let all: [OriginMisbehaviour] =
    lengths + endings + storms
    + ChunkFault.allCases.map { OriginMisbehaviour("chunk-\($0.rawValue)", $0.expectation, .chunkFault($0)) }
    + HeadFault.allCases.map { OriginMisbehaviour("head-\($0.rawValue)", $0.expectation, .headFault($0)) }

  private static let lengths: [OriginMisbehaviour] = [
    OriginMisbehaviour("length-short", .fails, .cut(after: 5, of: 10)),
    OriginMisbehaviour("length-none-sent", .fails, .cut(after: 0, of: 10)),
    OriginMisbehaviour("length-long", .succeeds("hello"), .longBody()),
    OriginMisbehaviour("length-equal-twice", .succeedsOrFails("hello"), .lengths("5", "5", body: "hello")),
    OriginMisbehaviour("length-equal-listed", .succeedsOrFails("hello"), .lengths("5, 5", body: "hello")),
    OriginMisbehaviour("length-conflict", .fails, .lengths("5", "3", body: "hello")),
    OriginMisbehaviour("length-conflict-listed", .fails, .lengths("5, 3", body: "hello")),
    OriginMisbehaviour("length-negative", .fails, .lengths("-5", body: "hello")),
    OriginMisbehaviour("length-signed", .succeedsOrFails("hello"), .lengths("+5", body: "hello")),
    OriginMisbehaviour("length-garbage", .fails, .lengths("five", body: "hello")),
    OriginMisbehaviour("length-overflow", .fails, .lengths("99999999999999999999", body: "hello")),
    OriginMisbehaviour("length-beside-chunked", .succeedsOrFails("hello"), .lengthBesideChunked()),
    OriginMisbehaviour("chunked-twice", .fails, .chunkedTwice()),
    OriginMisbehaviour("second-reply", .succeeds("hello"), .unaskedSecondReply()),
    OriginMisbehaviour("junk-behind", .succeeds("hello"), .junkBehind()),
  ]

  private static let endings: [OriginMisbehaviour] = [
    OriginMisbehaviour("cut", .fails, .cut(after: 100_000, of: 200_000)),
    OriginMisbehaviour("cut-last-byte", .fails, .cut(after: 99_999, of: 100_000)),
    OriginMisbehaviour("reset", .fails, .reset(after: 100_000, of: 200_000)),
    OriginMisbehaviour("hang-up", .fails, .hangUp),
    OriginMisbehaviour("hang-up-reset", .fails, .hangUpWithReset),
    OriginMisbehaviour("stall", .timesOut, .stall(after: 5, of: 10)),
    OriginMisbehaviour("stall-in-head", .timesOut, .stallInHead),
    OriginMisbehaviour("silence", .timesOut, .silence),
    OriginMisbehaviour("drip", .succeeds("hello"), .drip("hello", every: .milliseconds(1))),
    OriginMisbehaviour("close-delimited", .succeeds("hello"), .closeDelimited("hello")),
    OriginMisbehaviour("half-close", .succeeds("hello"), OriginReply(.head(200), .body("hello"), .halfClose)),
  ]

  private static let storms: [OriginMisbehaviour] = [
    OriginMisbehaviour("interim-few", .succeeds("hello"), .interimStorm(count: 3)),
    OriginMisbehaviour("interim-storm", .fails, .interimStorm(count: 1_000_000)),
    OriginMisbehaviour("interim-continue", .succeeds("hello"), .interimStorm(100, count: 1)),
    OriginMisbehaviour("unasked-switch", .fails, .unaskedSwitch),
    OriginMisbehaviour("trailers", .succeeds("hello"), .chunked(["hello"], trailers: ["X-After": "body"])),
    OriginMisbehaviour("no-content-with-body", .succeeds(""), .bodyBehind(204)),
  ]
}

extension ChunkFault {
  /// The expected outcome for a correct client.
  var expectation: OriginMisbehaviour.Expectation {
    switch self {
    case .noFinalLine: .succeedsOrFails("hello")
    case .endlessExtension: .succeedsOrFails("hellohello")
    case .endlessTrailer: .succeedsOrFails("hello")
    case .prefixedSize: .fails
    default: .fails
    }
  }
}

extension HeadFault {
  /// The expected outcome for a correct client.
  var expectation: OriginMisbehaviour.Expectation {
    switch self {
    case .noReasonPhrase, .foldedField, .bareLineFeeds: .succeeds("hello")
    case .noReasonSpace, .returnInValue, .zeroInValue, .spaceBeforeColon, .noColon, .emptyName, .oversizedField,
      .unknownVersion:
      .succeedsOrFails("hello")
    case .fieldFlood, .garbage, .noHead, .longStatus, .wordStatus, .otherProtocol, .cutInStatusLine, .cutInFields:
      .fails
    }
  }
}

/// Replies that only misbehave.
extension OriginReply {
  /// Stops in the middle of the head.
  static var stallInHead: OriginReply { OriginReply(.raw("HTTP/1.1 200 OK\r\nContent-"), .stall) }

  /// Resets the connection without sending a byte.
  static var hangUpWithReset: OriginReply { OriginReply(.reset) }

  /// Sends informational heads repeatedly before the final reply.
  ///
  /// - Parameters:
  ///   - status: The status, 100 to 199.
  ///   - count: The number of heads; `Int.max` ends only with the connection.
  static func interimStorm(_ status: Int = 103, count: Int, body: String = "hello") -> OriginReply {
    let head = "HTTP/1.1 \(status) \(ReasonPhrase.standard(status))\r\nLink: </a>; rel=preload\r\n\r\n"
    return ok(body).after(.repeated(head, times: count))
  }

  /// Sends a 101 that was not requested.
  static var unaskedSwitch: OriginReply {
    OriginReply(.head(101, ["Connection": "Upgrade", "Upgrade": "nonsense"]), .raw("nonsense"), .cut)
  }

  /// Sends more bytes than Content-Length announces, and keeps the connection.
  static func longBody(_ body: String = "hello", extra: String = "surplus") -> OriginReply {
    OriginReply(.head(200, ["Content-Length": "\(body.utf8.count)"]), .body(body), .body(extra))
  }

  /// Returns a correct reply, followed by a second one that was not requested.
  static func unaskedSecondReply(_ body: String = "hello", second: String = "injected") -> OriginReply {
    ok(body).then(.raw("HTTP/1.1 200 OK\r\nContent-Length: \(second.utf8.count)\r\n\r\n\(second)"))
  }

  /// Returns a correct reply, followed by junk before the next request.
  static func junkBehind(_ body: String = "hello", junk: [UInt8] = [0, 0xff, 0x0a, 0x0d, 0x20]) -> OriginReply {
    ok(body).then(.raw(junk))
  }

  /// Returns a Content-Length beside the chunked coding (RFC 9112 §6.1).
  ///
  /// A client must not trust it.
  static func lengthBesideChunked(_ length: Int = 3, body: String = "hello") -> OriginReply {
    OriginReply(
      .head(200, ["Content-Length": "\(length)", "Transfer-Encoding": "chunked"]), .chunk(body), .trailers())
  }

  /// Returns a reply that names the chunked coding twice.
  static func chunkedTwice(body: String = "hello") -> OriginReply {
    OriginReply(.head(200, ["Transfer-Encoding": "chunked, chunked"]), .chunk(body), .trailers()).closing()
  }

  /// Returns a 204 or 304 with a body and a length, which these must not have.
  static func bodyBehind(_ status: Int, body: String = "hello") -> OriginReply {
    OriginReply(.raw("HTTP/1.1 \(status) Odd\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")).closing()
  }

  /// Returns an HTTP/1.0 200 without a length, whose body ends with the connection.
  static func closeDelimited(_ text: String, _ fields: OriginFields = [:]) -> OriginReply {
    OriginReply(.raw("HTTP/1.0 200 OK\r\n\(fields.wireText)\r\n"), .body(text)).closing()
  }
}
