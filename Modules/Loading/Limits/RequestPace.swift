import CurlewCore

/// Schedules requests at a limited rate and in order of arrival, without I/O.
///
/// It uses the generic cell rate algorithm: one request per interval, and up to `burst` at once after a rest. Only a request
/// that is sent uses a turn, so one that leaves the queue costs the others nothing.
struct RequestPace: Sendable {
  typealias Ticket = UInt64

  /// The answer to a new request.
  enum Admission: Sendable, Hashable {
    case go
    /// Wait until this ticket is the first one.
    case wait(Ticket)
    /// The wait would be longer than allowed.
    case refuse
  }

  /// The average time between two requests.
  let interval: Duration
  /// How far requests may run ahead of the steady pace.
  private let tolerance: Duration
  /// The next moment at the steady pace; nil before the first request.
  private var due: ContinuousClock.Instant?
  /// The tickets in order of arrival, from `start` on; some may have left.
  private var queue: [Ticket] = []
  private var start = 0
  private var waiting: Set<Ticket> = []
  private var last: Ticket = 0

  init(perSecond rate: Double, burst: Int) {
    let rate = rate.isFinite && rate > 0 ? min(max(rate, 1e-6), 1e6) : 1e6
    interval = .seconds(1 / rate)
    tolerance = interval * (min(max(1, burst), 1_000_000) - 1)
  }

  /// The first waiting request; nil when none waits.
  var first: Ticket? { start < queue.count ? queue[start] : nil }

  /// Adds a request, which is sent at once if nobody waits and the pace allows it.
  ///
  /// - Parameter longestWait: The longest wait, as it looks now.
  mutating func enter(at now: ContinuousClock.Instant, longestWait: Duration) -> Admission {
    if waiting.isEmpty, moment(after: now) <= now {
      send(at: now)
      return .go
    }
    guard wait(at: now) <= longestWait else { return .refuse }
    last += 1
    queue.append(last)
    waiting.insert(last)
    return .wait(last)
  }

  /// Returns the moment at which the first waiting request may be sent.
  func moment(after now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    max(now, max(due ?? now, now) - tolerance)
  }

  /// Returns how long a new request would wait.
  func wait(at now: ContinuousClock.Instant) -> Duration {
    let steady = max(due ?? now, now) + interval * waiting.count
    return max(.zero, now.duration(to: steady - tolerance))
  }

  /// Records that a request was sent.
  mutating func send(at now: ContinuousClock.Instant) { due = max(due ?? now, now) + interval }

  /// Removes a request, which was sent or will not be sent.
  mutating func leave(_ ticket: Ticket) {
    waiting.remove(ticket)
    while start < queue.count, !waiting.contains(queue[start]) { start += 1 }
    // Tickets that have left are removed now and then, so that each costs little.
    guard start > 64, start * 2 > queue.count else { return }
    queue.removeFirst(start)
    start = 0
  }
}
