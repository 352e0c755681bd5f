import CurlewCore

/// The state of a request that Foundation's callbacks, the clock and the app share.
struct URLSessionFlightState {
  /// The number of body bytes that have arrived.
  private(set) var delivered: Int64 = 0
  private var informational = 0
  /// Whether the outcome is decided, though not reported; later events do not count.
  private(set) var isEnding = false
  /// Whether a challenge was refused.
  ///
  /// Foundation then ends the task with the error −999, although the response is complete.
  var refusedChallenge = false
  /// When the request was passed on, the head arrived and the last byte moved.
  private(set) var startedAt: ContinuousClock.Instant?
  private(set) var headAt: ContinuousClock.Instant?
  private var movedAt: ContinuousClock.Instant?

  // MARK: The side of Foundation

  mutating func start(at now: ContinuousClock.Instant) {
    startedAt = now
    movedAt = now
  }

  mutating func move(at now: ContinuousClock.Instant) { movedAt = now }

  /// Counts an informational head; returns false if there are too many.
  mutating func countInformational(upTo limit: Int) -> Bool {
    informational += 1
    return informational <= limit
  }

  /// Records the arrival of the final head; returns false if it is too late.
  mutating func arrive(at now: ContinuousClock.Instant) -> Bool {
    guard !isEnding else { return false }
    headAt = now
    movedAt = now
    return true
  }

  /// Counts bytes of the body; returns false if they are too late.
  mutating func receive(_ count: Int, at now: ContinuousClock.Instant) -> Bool {
    guard !isEnding else { return false }
    movedAt = now
    delivered += Int64(count)
    return true
  }

  /// Decides that the flight ends; returns false if that was decided before.
  mutating func beginEnding() -> Bool {
    guard !isEnding else { return false }
    isEnding = true
    return true
  }

  // MARK: Time

  /// The time of the next timeout; nil without one.
  func deadline(idle: Duration?, total: Duration?) -> ContinuousClock.Instant? {
    guard !isEnding, let startedAt, let movedAt else { return nil }
    let deadlines = [idle.map { movedAt.advanced(by: $0) }, total.map { startedAt.advanced(by: $0) }]
    return deadlines.compactMap { $0 }.min()
  }

  /// The timeout that has passed; nil if none has.
  func overdue(idle: Duration?, total: Duration?, at now: ContinuousClock.Instant) -> NetworkError.Kind? {
    guard !isEnding, let startedAt, let movedAt else { return nil }
    if let total, startedAt.advanced(by: total) <= now { return .timedOut }
    if let idle, movedAt.advanced(by: idle) <= now { return .idleTimedOut }
    return nil
  }
}
