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
