/// A rate in bytes a second, as a moving average over about a second.
///
/// It is unknown in its first second: what arrives at once, or what waits for the first byte, says nothing about what follows.
struct MovingRate {
  /// The rate; nil when unknown.
  private(set) var value: Double?
  private let begin: ContinuousClock.Instant
  private var last: ContinuousClock.Instant
  private var early: Int64 = 0

  /// - Parameter instant: When the transfer began.
  init(since instant: ContinuousClock.Instant) {
    begin = instant
    last = instant
  }

  /// Takes the bytes that have arrived since the last call.
  mutating func add(_ bytes: Int64, at instant: ContinuousClock.Instant) {
    let seconds = last.duration(to: instant).inSeconds
    guard seconds > 0 else { return early += bytes }
    last = instant
    if let value {
      self.value = value + (Double(bytes) / seconds - value) * min(1, seconds)
      return
    }
    early += bytes
    let age = begin.duration(to: instant).inSeconds
    if age >= 1 { value = Double(early) / age }
  }
}
