import CurlewCore

/// Turns byte counts into events, for each direction.
///
/// There are at most ten events per second, and one at the end.
struct ByteReporter {
  private static let interval = Duration.milliseconds(100)
  private var toldAt: ContinuousClock.Instant?
  private var told: Int64 = -1

  /// Returns whether to report a count now.
  mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
    if let toldAt, toldAt.duration(to: now) < Self.interval { return false }
    toldAt = now
    return true
  }

  /// Returns whether a count exceeds the last reported one, and records it.
  mutating func isNews(_ count: Int64) -> Bool {
    defer { told = max(told, count) }
    return count > told
  }
}
