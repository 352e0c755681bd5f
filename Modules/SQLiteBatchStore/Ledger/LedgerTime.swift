import CurlewCore
import FoundationEssentials

/// The clock of a store, in microseconds since 1970.
///
/// It starts with the time of the wall clock, so that the next process can interpret the times in the file. It then follows the
/// monotonic clock, so that changes to the wall clock do not affect leases.
struct LedgerTime: Sendable {
  let clock: any NetworkClock
  private let base: Int64
  private let start: ContinuousClock.Instant

  init(_ clock: any NetworkClock) {
    self.clock = clock
    base = Int64(max(0, min(clock.date.timeIntervalSince1970, 1e11)) * 1_000_000)
    start = clock.now
  }

  var now: Int64 { base + start.duration(to: clock.now).microseconds }

  /// Returns the instant that corresponds to a time of the store.
  func instant(of moment: Int64) -> ContinuousClock.Instant {
    // A damaged file can contain any number.
    moment > base ? start + .microseconds(min(moment - base, Duration.most)) : start
  }
}

extension Duration {
  /// About a hundred years in microseconds.
  fileprivate static let most: Int64 = 3_000_000_000 * 1_000_000

  /// The duration in microseconds, from 0 to about a hundred years.
  var microseconds: Int64 {
    let (seconds, attoseconds) = min(max(self, .zero), .microseconds(Self.most)).components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}
