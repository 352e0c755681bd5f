/// Lengths that are wrong, doubled or in conflict (RFC 9112 §6.3).
extension OriginReply {
  /// 200 with the Content-Length lines you give, whatever the body is, and the connection closed after it.
  ///
  /// - Parameters:
  ///   - lengths: One Content-Length line each, written as they are: `"5", "6"`, `"5, 5"`, `"-1"`, `"abc"`.
  ///   - body: What is sent.
  ///   - fields: More fields.
  public static func lengths(_ lengths: String..., body: String, _ fields: OriginFields = [:]) -> OriginReply {
    let lines = lengths.map { OriginFields.Line("Content-Length", $0) }
    return OriginReply(.head(200, OriginFields(lines + fields.lines)), .body(body)).closing()
  }

  /// Sends fewer bytes than Content-Length says, and closes.
  package static func shortBody(sending count: Int64, of claimed: Int64) -> OriginReply {
    OriginReply(
      .head(200, ["Content-Length": "\(claimed)"]), .fill(.repeating(0x78), count: count), .cut)
  }

  /// Sends more bytes than Content-Length says, and keeps the connection: data after the end.
  package static func longBody(_ body: String = "hello", extra: String = "surplus") -> OriginReply {
    OriginReply(.head(200, ["Content-Length": "\(body.utf8.count)"]), .body(body), .body(extra))
  }

  /// Returns a right reply and, unasked, a second one behind it.
  package static func unaskedSecondReply(_ body: String = "hello", second: String = "injected") -> OriginReply {
    ok(body).then(.raw("HTTP/1.1 200 OK\r\nContent-Length: \(second.utf8.count)\r\n\r\n\(second)"))
  }

  /// Returns a right reply and junk behind it, before the next request.
  package static func junkBehind(_ body: String = "hello", junk: [UInt8] = [0, 0xff, 0x0a, 0x0d, 0x20]) -> OriginReply {
    ok(body).then(.raw(junk))
  }

  /// Returns a Content-Length beside the chunked coding, which a client must not trust (RFC 9112 §6.1).
  package static func lengthBesideChunked(_ length: Int = 3, body: String = "hello") -> OriginReply {
    OriginReply(
      .head(200, ["Content-Length": "\(length)", "Transfer-Encoding": "chunked"]), .chunk(body), .trailers())
  }

  /// Returns the chunked coding named twice.
  package static func chunkedTwice(body: String = "hello") -> OriginReply {
    OriginReply(.head(200, ["Transfer-Encoding": "chunked, chunked"]), .chunk(body), .trailers()).closing()
  }

  /// Returns a body behind a status that has none, 204 or 304, with a length that promises it.
  package static func bodyBehind(_ status: Int, body: String = "hello") -> OriginReply {
    OriginReply(.raw("HTTP/1.1 \(status) Odd\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")).closing()
  }
}
