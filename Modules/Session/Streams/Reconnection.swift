import CurlewCore

/// Decides when an event stream reconnects, without I/O.
struct Reconnection: Sendable {
  /// The number of consecutive failures.
  private(set) var failures = 0
  private var isFirst = true

  /// Records that bytes have arrived.
  mutating func noteProgress() { failures = 0 }

  /// Records a connection that failed or was lost.
  ///
  /// - Returns: Whether to connect again.
  mutating func noteFailure(_ options: EventStreamOptions) -> Bool {
    failures += 1
    return options.failureLimit.map { failures <= $0 } ?? true
  }

  /// Returns the delay before the next connection, which is zero for the first.
  mutating func wait(asked: Duration?, _ options: EventStreamOptions) -> Duration {
    defer { isFirst = false }
    guard !isFirst else { return .zero }
    let limit = options.longestWait.limited
    // A server asks for no less, and chance shortens no wait below it.
    let floor = asked == nil ? .zero : min(max(.zero, options.shortestWait), limit)
    let chosen = asked.map { max($0, floor) } ?? options.reconnectionTime
    var wait = min(max(.zero, chosen), limit)
    var left = failures - 1
    guard left >= 0 else { return wait }
    while left > 0, wait > .zero, wait < limit {
      wait += wait
      left -= 1
    }
    let chance = options.random()
    return max(floor, min(wait, limit) * (0.5 + 0.5 * (chance >= 0 && chance <= 1 ? chance : 1)))
  }

  /// Returns whether another connection may succeed after an error.
  ///
  /// No refused status is worth one (HTML §9.2.2).
  static func mayHelp(after error: any Error) -> Bool {
    guard let error = error as? NetworkError else { return false }
    return error.isRetryable && error.kind != .unacceptableStatus
  }
}
