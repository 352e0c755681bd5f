/// Limits the rate of one direction of a transfer, without I/O.
///
/// Each piece takes its share of time, and the next piece waits until that has passed. Unused time is not made up for later.
struct Pacer {
  /// The bytes per second; nil sets no limit.
  private let rate: Int64?
  /// When the next piece may move, in nanoseconds of the monotonic clock.
  private(set) var nextAt: UInt64 = 0

  init(bytesPerSecond rate: Int64?) { self.rate = rate.map { max(1, $0) } }

  /// The largest piece to move at once; nil sets no limit.
  ///
  /// It is a tenth of a second's bytes, between 1 kB and 16 kB.
  var piece: Int? { rate.map { Int(min(max($0 / 10, 1_024), 16_384)) } }

  /// Returns whether the next piece must wait.
  func mustWait(at now: UInt64) -> Bool { rate != nil && now < nextAt }

  /// Records bytes that have moved.
  mutating func moved(_ bytes: Int, at now: UInt64) {
    guard let rate else { return }
    let nanoseconds = Double(bytes) / Double(rate) * 1e9
    nextAt = max(nextAt, now) &+ UInt64(min(nanoseconds, 1e18))
  }
}
