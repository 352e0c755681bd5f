/// How a session reads an event stream and reconnects.
public struct EventStreamOptions: Sendable {
  /// The limits for a line and for an event.
  public var limits = EventStreamLimits()
  /// The identifier to continue behind, sent as `Last-Event-ID` with the first request; empty sends none.
  public var lastEventID = ""
  /// The time before a reconnection until the server states one with `retry`; 3 seconds by default.
  public var reconnectionTime = Duration.seconds(3)
  /// The longest time before a reconnection, whatever the server asks for; 60 seconds by default.
  public var longestWait = Duration.seconds(60)
  /// How many connections may fail in a row, without a byte of events; nil means no limit, 10 by default.
  ///
  /// The time before each doubles, up to `longestWait`. The end of a stream is not a failure.
  public var failureLimit: Int? = 10
  /// The statuses that count as a failed connection instead of ending the sequence.
  ///
  /// None by default, as the standard says: a status other than 200 ends it. 502, 503 and 504 are candidates.
  public var temporaryStatuses: Set<Int> = []
  /// The source of randomness, 0 to 1, that keeps clients that failed together from reconnecting together.
  public var random: @Sendable () -> Double = { .random(in: 0...1) }

  /// The defaults.
  public init() {}
}
