/// A byte budget that refills evenly: at most so many bytes a second, in small helpings.
package struct Pace {
  private let bytesPerSecond: Int64
  private var allowance: Int64
  private var refilled: Instant

  package init(bytesPerSecond: Int, now: Instant) {
    // A terabyte a second is no limit and keeps the sums below far from overflow.
    self.bytesPerSecond = Int64(min(max(1, bytesPerSecond), 1_000_000_000_000))
    allowance = 0
    refilled = now
  }

  /// One fiftieth of a second's worth: what may be saved up, and what is worth waking up for.
  private var helping: Int64 { max(1, bytesPerSecond / 50) }

  /// Returns how many bytes may go now.
  package mutating func allowed(at now: Instant) -> Int {
    let elapsed = min(max(0, now - refilled), 1_000_000_000)
    let earned = bytesPerSecond * (elapsed / 1000) / 1_000_000
    if earned > 0 {
      allowance = min(helping, allowance + earned)
      refilled = now
    }
    return Int(allowance)
  }

  package mutating func spend(_ count: Int) { allowance -= Int64(count) }

  /// How long until the next helping is there.
  package var delay: Duration { .nanoseconds(max(1_000_000, 1_000_000_000 * min(helping, 1_000_000) / bytesPerSecond)) }
}
