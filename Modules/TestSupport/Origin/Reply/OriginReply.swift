/// What a scripted origin answers to one request: a list of steps.
///
/// The named constructors give well-formed answers (`ok`, `status`, `chunked`) and every way to misbehave; steps of your
/// own make the rest:
/// ```swift
/// OriginReply(.head(200, ["Content-Length": "5"]), .body("he"), .wait(.seconds(1)), .body("llo"))
/// ```
/// After the last step the connection is kept for the next request, unless the request or a `Connection: close` of
/// `ok` and its like asked for its end.
public struct OriginReply: Sendable {
  /// When the request's body is read.
  enum Reading: Sendable {
    /// All of it before the first step; 100 Continue is sent when asked for.
    case first
    /// The same without a 100 Continue.
    case firstUnasked
    /// Only by `.readUpload` steps.
    case scripted
  }

  /// What is done, in order.
  public var steps: [OriginStep]
  /// The connection ends after the last step.
  package var endsConnection = false
  var reading = Reading.first
  var cut: (after: Int64, ending: OriginStep)?

  /// Creates a reply of steps.
  public init(_ steps: OriginStep...) {
    self.init(steps)
  }

  /// Creates a reply of steps.
  public init(_ steps: [OriginStep]) {
    self.steps = steps
  }

  /// Returns the same reply, with the connection closed after it.
  public func closing() -> OriginReply {
    with { $0.endsConnection = true }
  }

  /// Returns the same reply with more steps at its end.
  public func then(_ more: OriginStep...) -> OriginReply {
    with { $0.steps += more }
  }

  /// Returns the same reply, with these steps before it.
  public func after(_ first: OriginStep...) -> OriginReply {
    with { $0.steps = first + steps }
  }

  /// Returns the same reply, held at a gate before its first byte.
  public func pausing(at gate: OriginGate) -> OriginReply { after(.wait(for: gate)) }

  /// Returns the same reply, its first byte delayed.
  public func delayed(by duration: Duration) -> OriginReply { after(.wait(duration)) }

  /// Returns the same reply, at most so many bytes a second.
  public func throttled(to bytesPerSecond: Int) -> OriginReply { after(.rate(bytesPerSecond)) }

  /// Returns the same reply, with this done to the connection when it is idle afterwards.
  public func idling(_ idling: OriginIdling) -> OriginReply { then(.idle(idling)) }

  /// The same reply, stopped after exactly so many bytes of it, head included.
  ///
  /// `ending` then ends the connection.
  public func cut(after bytes: Int64, by ending: OriginStep = .cut) -> OriginReply {
    with { $0.cut = (max(0, bytes), ending) }
  }

  /// Returns the same reply, begun without reading the request's body.
  ///
  /// `.readUpload` steps read it.
  ///
  /// When some of the body is still unread after the last step, the connection is closed.
  public func beforeUpload() -> OriginReply {
    with { $0.reading = .scripted }
  }

  func with(_ change: (inout OriginReply) -> Void) -> OriginReply {
    var copy = self
    change(&copy)
    return copy
  }
}
