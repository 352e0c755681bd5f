import CurlewCore

/// Schedules requests at a limited rate, without I/O.
///
/// It uses the generic cell rate algorithm: one request per interval, and up to `burst` at once after a rest. A moment that a
/// request gives back is assigned again.
struct RequestPace: Sendable {
  /// The average time between two requests.
  let interval: Duration
  /// How far requests may run ahead of the steady pace.
  private let tolerance: Duration
  /// The next moment at the steady pace; nil before the first request.
  private var due: ContinuousClock.Instant?
  /// The moments that were given back, in order.
  private var returned: [ContinuousClock.Instant] = []

  init(perSecond rate: Double, burst: Int) {
    let rate = rate.isFinite && rate > 0 ? min(max(rate, 1e-6), 1e6) : 1e6
    interval = .seconds(1 / rate)
    tolerance = interval * (min(max(1, burst), 1_000_000) - 1)
  }

  /// Returns the moment at which a request may be sent.
  mutating func take(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    returned.removeAll { $0 < now }
    if !returned.isEmpty { return returned.removeFirst() }
    let steady = max(due ?? now, now)
    due = steady + interval
    return max(now, steady - tolerance)
  }

  /// Returns how long a new request would wait.
  func wait(at now: ContinuousClock.Instant) -> Duration {
    if let free = returned.first(where: { $0 >= now }) { return now.duration(to: free) }
    return max(.zero, now.duration(to: max(due ?? now, now) - tolerance))
  }

  /// Takes back the moment of a request that will not be sent.
  mutating func giveBack(_ moment: ContinuousClock.Instant) {
    let index = returned.firstIndex { $0 > moment } ?? returned.endIndex
    returned.insert(moment, at: index)
  }
}
