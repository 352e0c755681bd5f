import Glibc

/// Notices that the machine slept.
///
/// Meanwhile servers and networks forget connections. The monotonic clock stands still, and so do the ages of connections.
struct SleepWatch {
  /// The shortest sleep that matters, in nanoseconds.
  static let shortest: UInt64 = 5_000_000_000

  private var ahead: UInt64?

  /// Returns whether the machine slept since the last call.
  ///
  /// - Parameters:
  ///   - now: The time of the monotonic clock in nanoseconds.
  ///   - sinceBoot: The same time, with all time asleep.
  mutating func slept(at now: UInt64, sinceBoot: UInt64) -> Bool {
    let difference = sinceBoot &- min(now, sinceBoot)
    defer { ahead = difference }
    return difference >= (ahead ?? difference) &+ Self.shortest
  }

  /// Returns the time since the machine started, with the time asleep, in nanoseconds.
  static func sinceBoot() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }
}
