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
    /// The TLS handshake of a new connection is complete; the cipher suite has OpenSSL's name, and the protocol that of ALPN.
    ///
    /// Such as `TLSv1.3`, `TLS_AES_256_GCM_SHA384` and `h2`; the protocol is nil if none was negotiated.
    case secured(version: String, cipherSuite: String, applicationProtocol: String?)
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
    /// The next attempt starts after a delay, or at once if another request is necessary, as when a file has changed.
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

/// Delivers the events of one sending to its observers, in order, one at a time.
///
/// A transport's thread, a timer and the app can each end a request at the same moment. Their events must not overtake each
/// other, and none may follow the metrics.
///
/// ```swift
/// func report(_ head: ResponseHead, _ metrics: ExchangeMetrics, to exchange: Exchange) {
///   let outbox = EventOutbox(exchange)
///   outbox.tell(.responded(head))
///   exchange.record(metrics)
///   outbox.tell(.measured(metrics), isLast: true)
/// }
/// ```
/// A transport creates one for each sending. It may be called from any thread, and calls observers without holding a lock.
public final class EventOutbox: Sendable {
  private struct State {
    var events = WorkQueue<ExchangeEvent.Kind>()
    var isClosed = false
  }

  private let exchange: Exchange
  private let state = Guarded(State())

  /// Creates an outbox for the observers of an exchange.
  public init(_ exchange: Exchange) { self.exchange = exchange }

  /// Delivers an event, after those that are being delivered; costs nothing without observers.
  ///
  /// - Parameters:
  ///   - kind: What happened.
  ///   - isLast: Whether no event may follow; later ones are dropped.
  public func tell(_ kind: @autoclosure () -> ExchangeEvent.Kind, isLast: Bool = false) {
    guard exchange.isObserved else { return }
    let kind = kind()
    let isMine = state.withLock { state in
      guard !state.isClosed else { return false }
      state.events.add(kind)
      state.isClosed = isLast
      return state.events.begin()
    }
    guard isMine else { return }
    while let kind = state.withLock({ $0.events.next() }) { exchange.emit(kind) }
  }
}

/// Decides which byte counts of a transfer become events.
///
/// Observers get at most ten counts per second in each direction, and one at the end (`ExchangeEvent.Kind.sent`, `received`).
/// A transport keeps one for each direction, and asks it with every count.
public struct ByteReporter: Sendable {
  private static let interval = Duration.milliseconds(100)
  private var toldAt: ContinuousClock.Instant?
  private var told: Int64 = -1

  /// Creates a reporter that has reported nothing.
  public init() {}

  /// Returns whether a tenth of a second has passed since this last returned true.
  public mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
    if let toldAt, toldAt.duration(to: now) < Self.interval { return false }
    toldAt = now
    return true
  }

  /// Returns whether a count exceeds the last reported one, and records it.
  public mutating func isNews(_ count: Int64) -> Bool {
    defer { told = max(told, count) }
    return count > told
  }
}
