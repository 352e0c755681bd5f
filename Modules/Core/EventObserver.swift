/// Is told what happens in an exchange.
///
/// Called from whatever isolation an event happens on, a transport's own thread included: it must return at once and
/// must not wait. Events of one sending come in order; those of different ones interleave.
public protocol EventObserver: Sendable {
  /// Takes one event.
  func observe(_ event: ExchangeEvent)
  /// Whether it is to see credentials, cookies and custom authorization; false unless it says otherwise.
  var wantsSecrets: Bool { get }
}

extension EventObserver {
  /// Sees the redacted form.
  public var wantsSecrets: Bool { false }
}

/// Something that happened in an exchange.
public struct ExchangeEvent: Sendable {
  /// Of which logical request.
  public var exchange: Exchange.ID
  /// In which attempt, 1….
  public var attempt: Int
  /// At which hop, 0….
  public var hop: Int
  /// When.
  public var instant: ContinuousClock.Instant
  /// What.
  public var kind: Kind

  /// What happened. More cases may come: switch with a default.
  public enum Kind: Sendable {
    /// The logical request began.
    case started(Request)
    /// A sending was handed to the transport.
    case sending(Request)
    /// A connection is there: new, or one that was open.
    case connected(reused: Bool)
    /// An informational response (1xx) arrived.
    case informational(ResponseHead)
    /// Bytes of the body the kernel took so far, without framing; at most ten a second, and one at the end.
    case sent(bytes: Int64, expected: Int64?)
    /// The final head arrived.
    case responded(ResponseHead)
    /// Bytes of the body received so far, before decoding; at most ten a second, and one at the end.
    case received(bytes: Int64, expected: Int64?)
    /// A redirect is about to be followed.
    case redirecting(to: Request, response: ResponseHead)
    /// A server or proxy asked for credentials.
    case challenged(Challenge)
    /// The connection was lost where sending again is safe, and so it is sent again.
    case resending(after: NetworkError)
    /// The next attempt begins after a wait.
    case retrying(attempt: Int, after: Duration, error: (any Error)?)
    /// One sending is over.
    case measured(ExchangeMetrics)
    /// The logical request is over; nothing follows.
    case finished(Outcome, metrics: [ExchangeMetrics])
  }

  /// How a logical request ended.
  public enum Outcome: Sendable {
    /// With a response.
    case success
    /// With an error.
    case failure(any Error)
    /// It was cancelled.
    case cancelled
  }
}
