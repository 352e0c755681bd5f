import CurlewCore

/// Turns byte counts into events: at most ten a second each way, and one at the end.
struct ByteReporter {
  private static let interval = Duration.milliseconds(100)
  private var toldAt: ContinuousClock.Instant?

  /// Whether a count is to be told now.
  mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
    if let toldAt, toldAt.duration(to: now) < Self.interval { return false }
    toldAt = now
    return true
  }
}
