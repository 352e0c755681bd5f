/// Replies that end early, late or never.
extension OriginReply {
  /// Closes the connection with FIN after `sent` bytes of a body that was to have `total`.
  public static func cut(after sent: Int64, of total: Int64) -> OriginReply {
    .shortBody(sending: sent, of: total)
  }

  /// Resets the connection after `sent` bytes of a body that was to have `total`.
  public static func reset(after sent: Int64, of total: Int64) -> OriginReply {
    OriginReply(.head(200, ["Content-Length": "\(total)"]), .fill(.repeating(0x78), count: sent), .reset)
  }

  /// Says nothing more after `sent` bytes of a body that was to have `total`.
  public static func stall(after sent: Int64, of total: Int64) -> OriginReply {
    OriginReply(.head(200, ["Content-Length": "\(total)"]), .fill(.repeating(0x78), count: sent), .stall)
  }

  /// Stops in the middle of the head.
  package static var stallInHead: OriginReply { OriginReply(.raw("HTTP/1.1 200 OK\r\nContent-"), .stall) }

  /// Takes the request and never answers.
  public static var silence: OriginReply { OriginReply(.stall) }

  /// Closes the connection with FIN without a byte.
  public static var hangUp: OriginReply { OriginReply(.cut) }

  /// Resets the connection without a byte.
  package static var hangUpWithReset: OriginReply { OriginReply(.reset) }

  /// Sends a right reply in small pieces, head included.
  ///
  /// - Parameters:
  ///   - text: The body.
  ///   - size: Bytes a piece.
  ///   - pause: The time between two pieces.
  public static func drip(_ text: String, size: Int = 1, every pause: Duration) -> OriginReply {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n"
    return OriginReply(.drip([UInt8]((head + text).utf8), size: size, every: pause))
  }

  /// Informational heads before the final reply, again and again.
  ///
  /// - Parameters:
  ///   - status: 100 to 199.
  ///   - count: How many; `Int.max` ends only with the connection.
  package static func interimStorm(_ status: Int = 103, count: Int, body: String = "hello") -> OriginReply {
    let head = "HTTP/1.1 \(status) \(ReasonPhrase.of(status))\r\nLink: </a>; rel=preload\r\n\r\n"
    return ok(body).after(.repeated(head, times: count))
  }

  /// One informational head before a reply.
  package func afterInterim(_ status: Int = 103, _ fields: OriginFields = [:]) -> OriginReply {
    after(.interim(status, fields))
  }

  /// 101 that nobody asked for.
  package static var unaskedSwitch: OriginReply {
    OriginReply(.head(101, ["Connection": "Upgrade", "Upgrade": "nonsense"]), .raw("nonsense"), .cut)
  }
}

/// What an origin does about an upload.
extension OriginReply {
  /// Returns the same reply, without the 100 Continue that the client asked for: the body is awaited in silence.
  package func withoutContinue() -> OriginReply {
    with { $0.reading = .firstUnasked }
  }

  /// 417 in the place of a 100 Continue (RFC 9110 §10.1.1), and the connection closed.
  package static var expectationFailed: OriginReply { .status(417).beforeUpload().closing() }

  /// The same reply as soon as so many bytes of the upload came.
  ///
  /// The rest is not read and the connection closed.
  package func early(afterUpload count: Int64) -> OriginReply {
    beforeUpload().after(.readUpload(upTo: count)).closing()
  }

  /// Returns the same reply, for which the upload is read with a pause in the middle.
  ///
  /// Give the origin a small `OriginOptions.receiveBuffer`, or the kernel takes what is sent meanwhile.
  ///
  /// - Parameters:
  ///   - count: Bytes of the body read before the pause.
  ///   - pause: Its length; nil for a pause without an end.
  package func stopsReading(after count: Int64, for pause: Duration?) -> OriginReply {
    guard let pause else {
      return beforeUpload().after(.readUpload(upTo: count), .stopReading(for: nil), .stall)
    }
    return beforeUpload().after(.readUpload(upTo: count), .stopReading(for: pause), .readUpload())
  }

  /// Resets the connection when so many bytes of the upload came.
  package static func resetInUpload(after count: Int64) -> OriginReply {
    OriginReply(.readUpload(upTo: count), .reset).beforeUpload()
  }

  /// Closes the connection when so many bytes of the upload came.
  package static func hangUpInUpload(after count: Int64) -> OriginReply {
    OriginReply(.readUpload(upTo: count), .cut).beforeUpload()
  }
}
