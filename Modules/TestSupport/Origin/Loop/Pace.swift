/// A budget of bytes that refills evenly, in small portions.
package struct Pace {
  private let bytesPerSecond: Int64
  private var allowance: Int64
  private var refilled: Instant

  package init(bytesPerSecond: Int, now: Instant) {
    // A terabyte per second is no limit in practice, and keeps the sums below far from overflow.
    self.bytesPerSecond = Int64(min(max(1, bytesPerSecond), 1_000_000_000_000))
    allowance = 0
    refilled = now
  }

  /// The bytes of 20 ms: the most to accumulate, and the least worth a wake-up.
  private var helping: Int64 { max(1, bytesPerSecond / 50) }

  /// Returns how many bytes may be sent now.
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

  /// The time until the next portion is available.
  package var delay: Duration { .nanoseconds(max(1_000_000, 1_000_000_000 * min(helping, 1_000_000) / bytesPerSecond)) }
}
