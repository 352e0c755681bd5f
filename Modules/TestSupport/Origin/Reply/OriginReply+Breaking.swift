/// Replies that end early, late or never.
extension OriginReply {
  /// Closes the connection with FIN after `sent` of `total` bytes of the body.
  public static func cut(after sent: Int64, of total: Int64) -> OriginReply {
    OriginReply(.head(200, ["Content-Length": "\(total)"]), .fill(.repeating(0x78), count: sent), .cut)
  }

  /// Resets the connection after `sent` of `total` bytes of the body.
  public static func reset(after sent: Int64, of total: Int64) -> OriginReply {
    OriginReply(.head(200, ["Content-Length": "\(total)"]), .fill(.repeating(0x78), count: sent), .reset)
  }

  /// Sends nothing more after `sent` of `total` bytes of the body.
  public static func stall(after sent: Int64, of total: Int64) -> OriginReply {
    OriginReply(.head(200, ["Content-Length": "\(total)"]), .fill(.repeating(0x78), count: sent), .stall)
  }

  /// Accepts the request and never answers.
  public static var silence: OriginReply { OriginReply(.stall) }

  /// Closes the connection with FIN without sending a byte.
  public static var hangUp: OriginReply { OriginReply(.cut) }

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

  /// Returns the same reply, sent as soon as this many bytes of the upload arrived.
  ///
  /// The rest is not read, and the connection is closed.
  package func early(afterUpload count: Int64) -> OriginReply {
    beforeUpload().after(.readUpload(upTo: count)).closing()
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
}
