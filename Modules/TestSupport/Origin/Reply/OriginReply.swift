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
