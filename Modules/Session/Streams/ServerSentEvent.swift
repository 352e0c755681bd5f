/// One event of an event stream (WHATWG HTML §9.2, "Server-sent events").
public struct ServerSentEvent: Sendable, Hashable {
  /// The type; `message` if the server sends none.
  public var type: String
  /// The data; the lines of several `data` fields are joined by LF.
  public var data: String
  /// The identifier after which a reconnection resumes; empty if there is none.
  ///
  /// It is that of this event or, if it has none, of the last event with one.
  public var lastEventID: String

  /// Creates an event.
  public init(type: String = "message", data: String, lastEventID: String = "") {
    self.type = type
    self.data = data
    self.lastEventID = lastEventID
  }
}
