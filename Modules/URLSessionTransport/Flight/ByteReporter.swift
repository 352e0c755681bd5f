import CurlewCore

/// Turns byte counts into events: at most ten a second each way, and one at the end.
struct ByteReporter {
  private static let interval = Duration.milliseconds(100)
  private var toldAt: ContinuousClock.Instant?
  private var told: Int64 = -1

  /// Whether a count is to be told now.
  mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
    if let toldAt, toldAt.duration(to: now) < Self.interval { return false }
    toldAt = now
    return true
  }

  /// Whether a count is more than what was told last; it is told then.
  mutating func isNews(_ count: Int64) -> Bool {
    defer { told = max(told, count) }
    return count > told
  }
}
