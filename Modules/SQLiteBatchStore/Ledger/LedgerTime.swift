import CurlewCore
import FoundationEssentials

/// The time of a store in microseconds since 1970.
///
/// It begins with the wall clock's time, so that times that are kept in the file mean something to the next process, and then
/// advances with the monotonic clock, so that leases do not depend on somebody setting the clock.
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

  /// The instant of a time.
  func instant(of moment: Int64) -> ContinuousClock.Instant {
    // A damaged file can have any number.
    moment > base ? start + .microseconds(min(moment - base, Duration.most)) : start
  }
}

extension Duration {
  /// About a hundred years in microseconds.
  fileprivate static let most: Int64 = 3_000_000_000 * 1_000_000

  /// The duration in microseconds, from 0 to about a hundred years.
  var microseconds: Int64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return min(seconds, 3_000_000_000) * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}
