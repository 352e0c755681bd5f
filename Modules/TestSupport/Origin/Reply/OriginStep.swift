/// One thing a scripted origin does while it answers.
///
/// Steps run in order. One that does not write first waits until the kernel took all that was written before it.
public struct OriginStep: Sendable {
  enum Action: Sendable {
    case bytes([UInt8])
    case body([UInt8])
    case fill(BytePattern, from: Int64, count: Int64)
    case repeated([UInt8], times: Int)
    case chunks(BytePattern, count: Int64, size: Int)
    case drip([UInt8], size: Int, every: Duration)
    case wait(Duration)
    case gate(OriginGate)
    case stall
    case readUpload(Int64?)
    case pauseReading(Duration?)
    case echo
    case rate(Int?)
    case idle(OriginIdling)
    case perform(@Sendable () async -> [OriginStep])
    case close(TLSEnding)
    case reset
    case halfClose
  }

  /// What a TLS peer is told at the end.
  enum TLSEnding: Sendable { case notified, silent }

  let action: Action
}

// MARK: Writing

extension OriginStep {
  /// Bytes exactly as given.
  public static func raw(_ bytes: [UInt8]) -> OriginStep { OriginStep(action: .bytes(bytes)) }

  /// Text exactly as given, in UTF-8; no line break is added.
  public static func raw(_ text: String) -> OriginStep { .raw([UInt8](text.utf8)) }

  /// Returns a status line of HTTP/1.1, fields and the empty line.
  ///
  /// - Parameters:
  ///   - status: Any number; it is not checked.
  ///   - reason: The phrase after it; nil for the usual one, empty for none.
  ///   - fields: Written as they are; nothing is added.
  public static func head(_ status: Int, reason: String? = nil, _ fields: OriginFields = [:]) -> OriginStep {
    .raw("HTTP/1.1 \(status) \(reason ?? ReasonPhrase.of(status))\r\n\(fields.wireText)\r\n")
  }

  /// Returns an informational head such as 103, before the final one.
  public static func interim(_ status: Int, _ fields: OriginFields = [:]) -> OriginStep { .head(status, fields) }

  /// Bytes of the body, without any framing. This and the other body steps do nothing when the method is HEAD.
  public static func body(_ bytes: [UInt8]) -> OriginStep { OriginStep(action: .body(bytes)) }

  /// Text of the body in UTF-8, without any framing.
  public static func body(_ text: String) -> OriginStep { .body([UInt8](text.utf8)) }

  /// Bytes of the body made on the spot: gigabytes cost no memory.
  ///
  /// - Parameters:
  ///   - pattern: What they look like.
  ///   - offset: Where in the pattern to begin.
  ///   - count: How many.
  public static func fill(_ pattern: BytePattern, from offset: Int64 = 0, count: Int64) -> OriginStep {
    OriginStep(action: .fill(pattern, from: offset, count: count))
  }

  /// Returns the same bytes again and again, made on the spot.
  ///
  /// `Int.max` times ends only with the connection.
  package static func repeated(_ text: String, times: Int) -> OriginStep {
    OriginStep(action: .repeated([UInt8](text.utf8), times: times))
  }

  /// One chunk of the chunked coding: size line, bytes, line break. Empty bytes would end the body and are left out.
  public static func chunk(_ bytes: [UInt8]) -> OriginStep {
    guard !bytes.isEmpty else { return .body([]) }
    return .body([UInt8]((String(bytes.count, radix: 16) + "\r\n").utf8) + bytes + [0x0d, 0x0a])
  }

  /// One chunk of text in UTF-8.
  public static func chunk(_ text: String) -> OriginStep { .chunk([UInt8](text.utf8)) }

  /// Returns a pattern in chunks of `size` bytes, without the last chunk.
  package static func chunks(_ pattern: BytePattern, count: Int64, size: Int = 16_384) -> OriginStep {
    OriginStep(action: .chunks(pattern, count: count, size: max(1, size)))
  }

  /// Returns the last chunk, the trailers and the empty line.
  public static func trailers(_ fields: OriginFields = [:]) -> OriginStep { .body("0\r\n\(fields.wireText)\r\n") }

  /// Bytes in pieces of `size`, with a pause before each but the first.
  package static func drip(_ bytes: [UInt8], size: Int = 1, every pause: Duration) -> OriginStep {
    OriginStep(action: .drip(bytes, size: max(1, size), every: pause))
  }

  /// From now on all that arrives on the connection is sent back, until the peer ends it.
  public static var echo: OriginStep { OriginStep(action: .echo) }
}

// MARK: Pace

extension OriginStep {
  /// Waits this long. A peer that leaves meanwhile ends the connection.
  public static func wait(_ duration: Duration) -> OriginStep { OriginStep(action: .wait(duration)) }

  /// Waits until a test opens the gate. A peer that leaves meanwhile ends the connection.
  public static func wait(for gate: OriginGate) -> OriginStep { OriginStep(action: .gate(gate)) }

  /// Does nothing more until the peer leaves or the origin stops.
  public static var stall: OriginStep { OriginStep(action: .stall) }

  /// At most this many bytes a second until the end of this reply; nil for no limit.
  package static func rate(_ bytesPerSecond: Int?) -> OriginStep { OriginStep(action: .rate(bytesPerSecond)) }

  /// Runs code of yours and then the steps it returns.
  public static func perform(_ code: @escaping @Sendable () async -> [OriginStep]) -> OriginStep {
    OriginStep(action: .perform(code))
  }
}

// MARK: The upload

extension OriginStep {
  /// Reads the request's body until so many bytes of it have come in all.
  ///
  /// Nil for all of it.
  ///
  /// Sends 100 Continue first when the client waits for it. A client that leaves meanwhile ends the connection.
  public static func readUpload(upTo count: Int64? = nil) -> OriginStep { OriginStep(action: .readUpload(count)) }

  /// Leaves what arrives in the kernel for this long, so that the peer's writing stalls; nil for the rest of the reply.
  package static func stopReading(for duration: Duration?) -> OriginStep { OriginStep(action: .pauseReading(duration)) }
}

// MARK: Ending

extension OriginStep {
  /// Closes the connection in good order: close_notify over TLS, then FIN.
  public static var close: OriginStep { OriginStep(action: .close(.notified)) }

  /// Closes with FIN, over TLS without the close_notify that would say the end is meant (RFC 8446 §6.1).
  public static var cut: OriginStep { OriginStep(action: .close(.silent)) }

  /// Closes with RST.
  public static var reset: OriginStep { OriginStep(action: .reset) }

  /// Sends FIN and goes on reading until the peer closes.
  package static var halfClose: OriginStep { OriginStep(action: .halfClose) }

  /// Returns what happens to the connection once this reply is complete and no request is under way.
  public static func idle(_ idling: OriginIdling) -> OriginStep { OriginStep(action: .idle(idling)) }
}

/// What an origin does with a connection between two requests.
public struct OriginIdling: Sendable {
  enum Kind: Sendable {
    case keep
    case close(after: ClosedRange<Duration>)
    case closeOnNextByte
    case resetOnNextByte
    case speak([UInt8], OriginGate, closes: Bool)
  }
  let kind: Kind

  /// Keeps it open until the peer leaves. The default.
  public static var keep: OriginIdling { OriginIdling(kind: .keep) }

  /// Closes it after a time drawn anew from the range for each idle period.
  public static func close(after range: ClosedRange<Duration>) -> OriginIdling {
    OriginIdling(kind: .close(after: range))
  }

  /// Closes it with FIN when the first bytes of a next request arrive, which are dropped.
  public static var closeOnNextRequest: OriginIdling { OriginIdling(kind: .closeOnNextByte) }

  /// Sends bytes that nobody asked for once a gate opens, and may close it behind them.
  ///
  /// The connection comes to the gate when it is idle, and a second time when the bytes are sent.
  ///
  /// - Parameters:
  ///   - text: The bytes.
  ///   - gate: What holds them back.
  ///   - closes: Whether the connection ends behind them.
  package static func speak(_ text: String, at gate: OriginGate, closes: Bool = false) -> OriginIdling {
    OriginIdling(kind: .speak([UInt8](text.utf8), gate, closes: closes))
  }

  /// Closes it with RST when the first bytes of a next request arrive, which are dropped.
  package static var resetOnNextRequest: OriginIdling { OriginIdling(kind: .resetOnNextByte) }
}

/// The usual phrases (RFC 9110 §15).
package enum ReasonPhrase {
  private static let phrases: [Int: String] = [
    100: "Continue", 101: "Switching Protocols", 103: "Early Hints", 200: "OK", 201: "Created", 202: "Accepted",
    204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found", 303: "See Other",
    304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
    403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 407: "Proxy Authentication Required",
    408: "Request Timeout", 409: "Conflict", 412: "Precondition Failed", 413: "Content Too Large",
    416: "Range Not Satisfiable", 417: "Expectation Failed", 421: "Misdirected Request", 425: "Too Early",
    429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
    502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
  ]

  package static func of(_ status: Int) -> String { phrases[status] ?? "Unknown" }
}
