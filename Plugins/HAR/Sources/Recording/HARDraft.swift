import CurlewCore
import FoundationEssentials
import HTTPTypes

/// What is known of one entry while its request is under way.
struct HARDraft: Sendable {
  var exchange: UInt64
  var attempt: Int
  var hop: Int
  var request: Request
  var started: ContinuousClock.Instant
  /// When the head arrived; the time of an entry without metrics.
  var answered: ContinuousClock.Instant?
  var reused: Bool?
  var informational: [ResponseHead] = []
  var head: ResponseHead?
  var metrics: ExchangeMetrics?
  var error: (any Error)?
  var isCancelled = false
  /// When it was paused, and when it went on; at most `pauseLimit`.
  private(set) var pauses: [(since: ContinuousClock.Instant, until: ContinuousClock.Instant?)] = []
  /// What followed this sending; nil if it was the last.
  var next: Next?
  /// The content, if it was recorded.
  var content: HARContent?

  /// What followed a sending.
  enum Next: Sendable {
    case redirect
    case challenge
    case resend
    case resumption
    case retry(after: Duration)
  }

  init(_ request: Request, at instant: ContinuousClock.Instant, exchange: Exchange.ID, attempt: Int, hop: Int) {
    self.exchange = exchange.number
    self.attempt = attempt
    self.hop = hop
    self.request = request
    started = instant
  }

  init(_ request: Request, by event: ExchangeEvent) {
    self.init(request, at: event.instant, exchange: event.exchange, attempt: event.attempt, hop: event.hop)
  }

  /// The pauses of one entry that are recorded.
  static let pauseLimit = 100

  /// Records the beginning of a pause.
  mutating func pause(at instant: ContinuousClock.Instant) {
    if pauses.count < Self.pauseLimit { pauses.append((instant, nil)) }
  }

  /// Records the end of a pause.
  mutating func resume(at instant: ContinuousClock.Instant) {
    guard let last = pauses.indices.last, pauses[last].until == nil else { return }
    pauses[last].until = instant
  }

  /// Whether an event is about this sending.
  func isMeant(by event: ExchangeEvent) -> Bool { event.attempt == attempt && event.hop == hop }
}

/// The content of one sending, as it was recorded.
struct HARContent: Sendable {
  /// The bytes of the request's body; nil if they are not recorded.
  var request: Data?
  /// Whether the request's body was not sent to its end, or could not be read.
  var requestIsPartial = false
  /// The bytes of the response's body; nil if they are not recorded.
  var response: Data?
  /// The sizes of the pieces in which the response's body arrived, each with the time since the head.
  var pieces: [(bytes: Int, after: Duration)] = []
  /// The trailer fields.
  var trailers: HTTPFields?
  /// Why the response's body is not recorded; nil if it is.
  var omission: String?
  /// Whether the recorded bytes are decoded although the fields name a content coding.
  var isDecoded = false
}
