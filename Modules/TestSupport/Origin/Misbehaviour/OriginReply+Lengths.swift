/// Replies with wrong, repeated or conflicting lengths (RFC 9112 §6.3).
extension OriginReply {
  /// Returns a 200 with the given Content-Length lines, whatever the body is.
  ///
  /// The connection is closed afterwards.
  ///
  /// - Parameters:
  ///   - lengths: The values of Content-Length lines, unchanged: `"5", "6"`, `"5, 5"`, `"-1"`, `"abc"`.
  ///   - body: The body that is sent.
  ///   - fields: Further fields.
  public static func lengths(_ lengths: String..., body: String, _ fields: OriginFields = [:]) -> OriginReply {
    let lines = lengths.map { OriginFields.Line("Content-Length", $0) }
    return OriginReply(.head(200, OriginFields(lines + fields.lines)), .body(body)).closing()
  }

  /// Sends fewer bytes than Content-Length announces, and closes.
  package static func shortBody(sending count: Int64, of claimed: Int64) -> OriginReply {
    OriginReply(
      .head(200, ["Content-Length": "\(claimed)"]), .fill(.repeating(0x78), count: count), .cut)
  }

  /// Sends more bytes than Content-Length announces, and keeps the connection.
  package static func longBody(_ body: String = "hello", extra: String = "surplus") -> OriginReply {
    OriginReply(.head(200, ["Content-Length": "\(body.utf8.count)"]), .body(body), .body(extra))
  }

  /// Returns a correct reply, followed by a second one that was not requested.
  package static func unaskedSecondReply(_ body: String = "hello", second: String = "injected") -> OriginReply {
    ok(body).then(.raw("HTTP/1.1 200 OK\r\nContent-Length: \(second.utf8.count)\r\n\r\n\(second)"))
  }

  /// Returns a correct reply, followed by junk before the next request.
  package static func junkBehind(_ body: String = "hello", junk: [UInt8] = [0, 0xff, 0x0a, 0x0d, 0x20]) -> OriginReply {
    ok(body).then(.raw(junk))
  }

  /// Returns a Content-Length beside the chunked coding (RFC 9112 §6.1).
  ///
  /// A client must not trust it.
  package static func lengthBesideChunked(_ length: Int = 3, body: String = "hello") -> OriginReply {
    OriginReply(
      .head(200, ["Content-Length": "\(length)", "Transfer-Encoding": "chunked"]), .chunk(body), .trailers())
  }

  /// Returns a reply that names the chunked coding twice.
  package static func chunkedTwice(body: String = "hello") -> OriginReply {
    OriginReply(.head(200, ["Transfer-Encoding": "chunked, chunked"]), .chunk(body), .trailers()).closing()
  }

  /// Returns a 204 or 304 with a body and a length, which these must not have.
  package static func bodyBehind(_ status: Int, body: String = "hello") -> OriginReply {
    OriginReply(.raw("HTTP/1.1 \(status) Odd\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")).closing()
  }
}
