/// The reply of a scripted origin to one request: a list of steps.
///
/// The named constructors provide well-formed replies (`ok`, `status`, `chunked`) and all kinds of misbehaviour. Combine steps
/// for anything else:
/// ```swift
/// OriginReply(.head(200, ["Content-Length": "5"]), .body("he"), .wait(.seconds(1)), .body("llo"))
/// ```
/// After the last step the connection is kept for the next request, unless the request or a `Connection: close` in the fields
/// of `ok` and similar replies ends it.
public struct OriginReply: Sendable {
  /// When the request's body is read.
  enum Reading: Sendable {
    /// Completely before the first step; 100 Continue is sent if requested.
    case first
    /// Completely before the first step, without 100 Continue.
    case firstUnasked
    /// Only by `.readUpload` steps.
    case scripted
  }

  /// The steps in order.
  public var steps: [OriginStep]
  /// Whether the connection ends after the last step.
  package var endsConnection = false
  var reading = Reading.first
  var cut: (after: Int64, ending: OriginStep)?

  /// Creates a reply from steps.
  public init(_ steps: OriginStep...) {
    self.init(steps)
  }

  /// Creates a reply from steps.
  public init(_ steps: [OriginStep]) {
    self.steps = steps
  }

  /// Returns the same reply, after which the connection is closed.
  public func closing() -> OriginReply {
    with { $0.endsConnection = true }
  }

  /// Returns the same reply, followed by more steps.
  public func then(_ more: OriginStep...) -> OriginReply {
    with { $0.steps += more }
  }

  /// Returns the same reply, preceded by these steps.
  public func after(_ first: OriginStep...) -> OriginReply {
    with { $0.steps = first + steps }
  }

  /// Returns the same reply, which waits at a gate before its first byte.
  public func pausing(at gate: OriginGate) -> OriginReply { after(.wait(for: gate)) }

  /// Returns the same reply with a delay before its first byte.
  public func delayed(by duration: Duration) -> OriginReply { after(.wait(duration)) }

  /// Returns the same reply, limited to this many bytes per second.
  public func throttled(to bytesPerSecond: Int) -> OriginReply { after(.rate(bytesPerSecond)) }

  /// Returns the same reply, with this behaviour of the idle connection afterwards.
  public func idling(_ idling: OriginIdling) -> OriginReply { then(.idle(idling)) }

  /// Returns the same reply, cut after this many bytes, including the head.
  ///
  /// `ending` then ends the connection.
  public func cut(after bytes: Int64, by ending: OriginStep = .cut) -> OriginReply {
    with { $0.cut = (max(0, bytes), ending) }
  }

  /// Returns the same reply, which begins before the request's body is read.
  ///
  /// `.readUpload` steps read the body. If a part of it is unread after the last step, the connection is closed.
  public func beforeUpload() -> OriginReply {
    with { $0.reading = .scripted }
  }

  func with(_ change: (inout OriginReply) -> Void) -> OriginReply {
    var copy = self
    change(&copy)
    return copy
  }
}

extension OriginReply {
  /// Returns a 200 with text.
  public static func ok(
    _ text: String = "", type: String = "text/plain; charset=utf-8", _ fields: OriginFields = [:]
  )
    -> OriginReply
  {
    status(200, text, type: type, fields)
  }

  /// Returns a 200 with bytes.
  public static func ok(
    _ bytes: [UInt8], type: String = "application/octet-stream", _ fields: OriginFields = [:]
  )
    -> OriginReply
  {
    status(200, bytes, type: type, fields)
  }

  /// Returns a response with JSON text, which is not checked.
  public static func json(_ text: String, status: Int = 200, _ fields: OriginFields = [:]) -> OriginReply {
    .status(status, text, type: "application/json", fields)
  }

  /// Returns a response with any status and text.
  public static func status(
    _ status: Int, _ text: String = "", type: String = "text/plain; charset=utf-8", _ fields: OriginFields = [:]
  ) -> OriginReply {
    .status(status, [UInt8](text.utf8), type: type, fields)
  }

  /// Returns a response with any status and bytes.
  ///
  /// 1xx, 204 and 304 have neither body nor Content-Length.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - bytes: The body, which is not sent if the request's method is HEAD.
  ///   - type: The Content-Type, omitted without a body.
  ///   - fields: Further fields; a Content-Length or Content-Type here replaces the correct one.
  public static func status(_ status: Int, _ bytes: [UInt8], type: String, _ fields: OriginFields = [:]) -> OriginReply
  {
    if status < 200 || status == 204 || status == 304 { return OriginReply(.head(status, fields)).keeping(fields) }
    var own: OriginFields = ["Content-Length": "\(bytes.count)"]
    if !bytes.isEmpty { own.append("Content-Type", type) }
    return OriginReply(.head(status, own.merging(fields)), .body(bytes)).keeping(fields)
  }

  /// Returns a 200 with a generated body of any length.
  public static func ok(_ pattern: BytePattern, count: Int64, _ fields: OriginFields = [:]) -> OriginReply {
    let own: OriginFields = ["Content-Length": "\(count)", "Content-Type": "application/octet-stream"]
    return OriginReply(.head(200, own.merging(fields)), .fill(pattern, count: count)).keeping(fields)
  }

  /// Returns a 200 in the chunked coding, one chunk for each part, with trailers.
  public static func chunked(
    _ parts: [String], _ fields: OriginFields = [:], trailers: OriginFields = [:]
  ) -> OriginReply {
    var own: OriginFields = ["Transfer-Encoding": "chunked", "Content-Type": "text/plain; charset=utf-8"]
    if !trailers.lines.isEmpty { own.append("Trailer", trailers.lines.map(\.name).joined(separator: ", ")) }
    return OriginReply([.head(200, own.merging(fields))] + parts.map { .chunk($0) } + [.trailers(trailers)]).keeping(
      fields)
  }

  /// Returns a 200 in the chunked coding with a generated body of any length.
  public static func chunked(
    _ pattern: BytePattern, count: Int64, chunkSize: Int = 16_384, trailers: OriginFields = [:]
  )
    -> OriginReply
  {
    let own: OriginFields = ["Transfer-Encoding": "chunked", "Content-Type": "application/octet-stream"]
    return OriginReply(.head(200, own), .chunks(pattern, count: count, size: chunkSize), .trailers(trailers))
  }

  /// Returns a redirect to `location`, which is sent unchanged.
  public static func redirect(_ status: Int = 302, to location: String) -> OriginReply {
    .status(status, ["Location": location])
  }

  /// Returns a response with any status and no body.
  public static func status(_ status: Int, _ fields: OriginFields) -> OriginReply {
    .status(status, [], type: "", fields)
  }

  /// Returns a response with coded bytes and their Content-Encoding.
  package static func encoded(
    _ bytes: [UInt8], as coding: String, type: String = "text/plain; charset=utf-8"
  ) -> OriginReply {
    .ok(bytes, type: type, ["Content-Encoding": coding])
  }

  /// Returns a 101, followed by an echo of all bytes that arrive.
  package static func upgrade(to name: String) -> OriginReply {
    OriginReply(.head(101, ["Connection": "Upgrade", "Upgrade": name]), .echo).beforeUpload()
  }

  /// Returns the bytes of a recorded reply unchanged, then closes the connection.
  public static func replay(_ bytes: [UInt8]) -> OriginReply {
    OriginReply(.raw(bytes)).closing()
  }

  /// Returns the reply, which closes the connection if its fields say so.
  private func keeping(_ fields: OriginFields) -> OriginReply {
    let closes = fields[values: "Connection"].contains { $0.matches("close") }
    return with { $0.endsConnection = closes }
  }
}
