import CurlewCore

/// What Foundation's callbacks, the clock and the app have to agree on for one request. Pure.
struct URLSessionFlightState {
  /// Bytes of the body that arrived.
  private(set) var delivered: Int64 = 0
  private var informational = 0
  /// Whether it is decided how it ends, though not told yet: nothing that comes now counts.
  private(set) var isEnding = false
  /// Whether a challenge was refused, which Foundation ends with −999 although the response is whole.
  var refusedChallenge = false
  /// When it was handed to Foundation, the head came, and the last byte moved.
  private(set) var startedAt: ContinuousClock.Instant?
  private(set) var headAt: ContinuousClock.Instant?
  private var movedAt: ContinuousClock.Instant?

  // MARK: Foundation's side

  mutating func start(at now: ContinuousClock.Instant) {
    startedAt = now
    movedAt = now
  }

  mutating func move(at now: ContinuousClock.Instant) { movedAt = now }

  /// Counts an informational head; false when there were too many.
  mutating func countInformational(upTo limit: Int) -> Bool {
    informational += 1
    return informational <= limit
  }

  /// Notes that the final head came; false when that is too late.
  mutating func arrive(at now: ContinuousClock.Instant) -> Bool {
    guard !isEnding else { return false }
    headAt = now
    movedAt = now
    return true
  }

  /// Counts bytes of the body; false when they are too late.
  mutating func receive(_ count: Int, at now: ContinuousClock.Instant) -> Bool {
    guard !isEnding else { return false }
    movedAt = now
    delivered += Int64(count)
    return true
  }

  /// Decides that it ends; false when that was decided before.
  mutating func beginEnding() -> Bool {
    guard !isEnding else { return false }
    isEnding = true
    return true
  }

  // MARK: Time

  /// When to look next; nil when there is nothing to wait for.
  func deadline(idle: Duration?, total: Duration?) -> ContinuousClock.Instant? {
    guard !isEnding, let startedAt, let movedAt else { return nil }
    let deadlines = [idle.map { movedAt.advanced(by: $0) }, total.map { startedAt.advanced(by: $0) }]
    return deadlines.compactMap { $0 }.min()
  }

  /// Which timeout has passed; nil when none has.
  func overdue(idle: Duration?, total: Duration?, at now: ContinuousClock.Instant) -> NetworkError.Kind? {
    guard !isEnding, let startedAt, let movedAt else { return nil }
    if let total, startedAt.advanced(by: total) <= now { return .timedOut }
    if let idle, movedAt.advanced(by: idle) <= now { return .idleTimedOut }
    return nil
  }
}
