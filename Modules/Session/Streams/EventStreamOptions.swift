/// How a session reads an event stream and reconnects.
public struct EventStreamOptions: Sendable {
  /// The limits for a line and for an event.
  public var limits = EventStreamLimits()
  /// The identifier to resume after; empty for none.
  ///
  /// It is sent as `Last-Event-ID` with the first request.
  public var lastEventID = ""
  /// The delay before reconnecting; 3 seconds by default.
  ///
  /// It applies until the server states one with `retry`.
  public var reconnectionTime = Duration.seconds(3)
  /// The shortest delay that a server can ask for; half a second by default.
  ///
  /// A server that sends `retry: 0` and ends each stream at once would otherwise be asked as fast as it answers.
  public var shortestWait = Duration.milliseconds(500)
  /// The longest delay before reconnecting; 60 seconds by default.
  ///
  /// It limits what the server asks for.
  public var longestWait = Duration.seconds(60)
  /// The most consecutive failed connections; 10 by default, nil sets no limit.
  ///
  /// A connection fails if it delivers no byte of events; the end of a stream is not a failure. The delay doubles with each
  /// failure, up to `longestWait`.
  public var failureLimit: Int? = 10
  /// The statuses that count as a failed connection instead of ending the sequence.
  ///
  /// None by default, as the standard says: a status other than 200 ends it. 502, 503 and 504 are candidates.
  public var temporaryStatuses: Set<Int> = []
  /// The source of randomness, 0 to 1.
  ///
  /// It keeps clients that failed together from reconnecting together.
  public var random: @Sendable () -> Double = { .random(in: 0...1) }

  /// Creates the default options.
  public init() {}
}
