/// Replies that end early, late or never.
extension OriginReply {
  /// Closes the connection with FIN after `sent` of `total` bytes of the body.
  public static func cut(after sent: Int64, of total: Int64) -> OriginReply {
    .shortBody(sending: sent, of: total)
  }

  /// Resets the connection after `sent` of `total` bytes of the body.
  public static func reset(after sent: Int64, of total: Int64) -> OriginReply {
    OriginReply(.head(200, ["Content-Length": "\(total)"]), .fill(.repeating(0x78), count: sent), .reset)
  }

  /// Sends nothing more after `sent` of `total` bytes of the body.
  public static func stall(after sent: Int64, of total: Int64) -> OriginReply {
    OriginReply(.head(200, ["Content-Length": "\(total)"]), .fill(.repeating(0x78), count: sent), .stall)
  }

  /// Stops in the middle of the head.
  package static var stallInHead: OriginReply { OriginReply(.raw("HTTP/1.1 200 OK\r\nContent-"), .stall) }

  /// Accepts the request and never answers.
  public static var silence: OriginReply { OriginReply(.stall) }

  /// Closes the connection with FIN without sending a byte.
  public static var hangUp: OriginReply { OriginReply(.cut) }

  /// Resets the connection without sending a byte.
  package static var hangUpWithReset: OriginReply { OriginReply(.reset) }

  /// Sends a correct reply in small pieces, including its head.
  ///
  /// - Parameters:
  ///   - text: The body.
  ///   - size: The number of bytes in a piece.
  ///   - pause: The time between two pieces.
  public static func drip(_ text: String, size: Int = 1, every pause: Duration) -> OriginReply {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n"
    return OriginReply(.drip([UInt8]((head + text).utf8), size: size, every: pause))
  }

  /// Sends informational heads repeatedly before the final reply.
  ///
  /// - Parameters:
  ///   - status: The status, 100 to 199.
  ///   - count: The number of heads; `Int.max` ends only with the connection.
  package static func interimStorm(_ status: Int = 103, count: Int, body: String = "hello") -> OriginReply {
    let head = "HTTP/1.1 \(status) \(ReasonPhrase.of(status))\r\nLink: </a>; rel=preload\r\n\r\n"
    return ok(body).after(.repeated(head, times: count))
  }

  /// Sends a 101 that was not requested.
  package static var unaskedSwitch: OriginReply {
    OriginReply(.head(101, ["Connection": "Upgrade", "Upgrade": "nonsense"]), .raw("nonsense"), .cut)
  }
}

/// Replies to an upload.
extension OriginReply {
  /// Returns the same reply without the 100 Continue that the client requested.
  package func withoutContinue() -> OriginReply {
    with { $0.reading = .firstUnasked }
  }

  /// Sends 417 instead of 100 Continue (RFC 9110 §10.1.1), and closes.
  package static var expectationFailed: OriginReply { .status(417).beforeUpload().closing() }

  /// Returns the same reply, sent as soon as this many bytes of the upload arrived.
  ///
  /// The rest is not read, and the connection is closed.
  package func early(afterUpload count: Int64) -> OriginReply {
    beforeUpload().after(.readUpload(upTo: count)).closing()
  }

  /// Returns the same reply, with a pause while reading the upload.
  ///
  /// Set a small `OriginOptions.receiveBuffer`; otherwise the kernel accepts the bytes during the pause.
  ///
  /// - Parameters:
  ///   - count: The number of body bytes to read before the pause.
  ///   - pause: The length of the pause; nil for no end.
  package func stopsReading(after count: Int64, for pause: Duration?) -> OriginReply {
    guard let pause else {
      return beforeUpload().after(.readUpload(upTo: count), .stopReading(for: nil), .stall)
    }
    return beforeUpload().after(.readUpload(upTo: count), .stopReading(for: pause), .readUpload())
  }

  /// Resets the connection when this many bytes of the upload have arrived.
  package static func resetInUpload(after count: Int64) -> OriginReply {
    OriginReply(.readUpload(upTo: count), .reset).beforeUpload()
  }

  /// Closes the connection when this many bytes of the upload have arrived.
  package static func hangUpInUpload(after count: Int64) -> OriginReply {
    OriginReply(.readUpload(upTo: count), .cut).beforeUpload()
  }
}

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
