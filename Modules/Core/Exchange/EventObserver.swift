/// Receives the events of an exchange.
///
/// It is called from any isolation, including a transport's own thread: it must return at once and must not block. The
/// events of one sending arrive in order; those of different ones interleave.
public protocol EventObserver: Sendable {
  /// Handles one event.
  func observe(_ event: ExchangeEvent)
  /// Whether it receives secrets: credentials, cookies and custom authorization.
  ///
  /// False by default.
  var wantsSecrets: Bool { get }
}

extension EventObserver {
  /// Returns false: the observer receives the redacted form.
  public var wantsSecrets: Bool { false }
}

/// An event in an exchange.
public struct ExchangeEvent: Sendable {
  /// The logical request.
  public var exchange: Exchange.ID
  /// The number of the attempt, from 1.
  public var attempt: Int
  /// The number of the hop, from 0.
  public var hop: Int
  /// When it happened.
  public var instant: ContinuousClock.Instant
  /// What happened.
  public var kind: Kind

  /// The kinds of events; later versions may add more, so switch with a default.
  ///
  /// It is indirect because an event is passed on several times, and a request or head has many parts.
  public indirect enum Kind: Sendable {
    /// The logical request has started.
    case started(Request)
    /// The transport got a request to send.
    case sending(Request)
    /// A connection is available: a new one or a reused one.
    case connected(reused: Bool)
    /// An informational response (1xx) arrived.
    case informational(ResponseHead)
    /// How many bytes of the request's body the kernel has taken, without framing.
    ///
    /// At most ten per second, and one at the end.
    case sent(bytes: Int64, expected: Int64?)
    /// The final head arrived.
    case responded(ResponseHead)
    /// How many bytes of the response's body were received, before decoding.
    ///
    /// At most ten per second, and one at the end.
    case received(bytes: Int64, expected: Int64?)
    /// A redirect is about to be followed.
    case redirecting(to: Request, response: ResponseHead)
    /// A server or proxy asked for credentials.
    case challenged(Challenge)
    /// The connection was lost and the request is sent again, because that is safe.
    case resending(after: NetworkError)
    /// The next attempt starts after a delay.
    case retrying(attempt: Int, after: Duration, error: (any Error)?)
    /// A `Transfer` was paused after it had started.
    case paused
    /// A paused `Transfer` continues; another sending follows if the pause has released the connection.
    case resumed
    /// One sending has ended.
    case measured(ExchangeMetrics)
    /// The logical request has ended; no event follows.
    case finished(Outcome, metrics: [ExchangeMetrics])
  }

  /// The outcome of a logical request.
  public enum Outcome: Sendable {
    /// There is a response.
    case success
    /// There is an error.
    case failure(any Error)
    /// It was cancelled.
    case cancelled
  }
}
