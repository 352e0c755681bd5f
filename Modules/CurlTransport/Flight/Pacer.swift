/// Keeps one direction of a transfer at a rate. Pure.
///
/// Each piece that moves takes its share of time, and the next one has to wait until that has passed. What an idle time
/// would have let through is not made up for later.
struct Pacer {
  /// Bytes a second; nil is no limit.
  private let rate: Int64?
  /// When the bytes that moved have had their time, in nanoseconds of the monotonic clock.
  private(set) var nextAt: UInt64 = 0

  init(bytesPerSecond rate: Int64?) { self.rate = rate.map { max(1, $0) } }

  /// The largest piece that moves at once: a tenth of a second's bytes, 1 kB…16 kB; nil is no limit.
  var piece: Int? { rate.map { Int(min(max($0 / 10, 1_024), 16_384)) } }

  /// Whether the next piece has to wait.
  func mustWait(at now: UInt64) -> Bool { rate != nil && now < nextAt }

  /// So many bytes moved.
  mutating func moved(_ bytes: Int, at now: UInt64) {
    guard let rate else { return }
    let nanoseconds = Double(bytes) / Double(rate) * 1e9
    nextAt = max(nextAt, now) &+ UInt64(min(nanoseconds, 1e18))
  }
}
