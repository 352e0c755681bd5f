import CurlewCore

/// Timeouts in libcurl's units.
struct TimeLimits: Sendable {
  /// The connect timeout in milliseconds; 0 means libcurl's default, five minutes.
  var connect: Int
  /// The idle timeout in nanoseconds; nil means none.
  var idle: UInt64?
  /// The total timeout in milliseconds; 0 means none.
  var total: Int

  /// The nanoseconds until the request must have a connection.
  ///
  /// libcurl applies this timeout to the request that connects, but not to those that wait to share its connection.
  var toBegin: UInt64 {
    let connect = self.connect > 0 ? self.connect : 300_000
    return UInt64(total > 0 ? min(connect, total) : connect) * 1_000_000
  }

  /// The limits as an error tells them.
  var timeouts: Timeouts {
    Timeouts(
      connect: connect > 0 ? .milliseconds(connect) : nil, idle: idle.map { .nanoseconds($0) },
      total: total > 0 ? .milliseconds(total) : nil)
  }

  init(_ timeouts: Timeouts) {
    connect = Self.milliseconds(timeouts.connect) ?? 0
    idle = Self.milliseconds(timeouts.idle).map { UInt64($0) * 1_000_000 }
    total = Self.milliseconds(timeouts.total) ?? 0
  }

  /// Returns these limits, with the total limited to the time until a deadline.
  func within(_ left: Duration) throws(NetworkError) -> TimeLimits {
    guard left > .zero, let milliseconds = Self.milliseconds(left) else {
      throw NetworkError(.timedOut, stage: .preparing, message: "The deadline has passed.")
    }
    var limits = self
    limits.total = total == 0 ? milliseconds : min(total, milliseconds)
    return limits
  }

  /// Returns whole milliseconds, at least 1; nil without a limit.
  private static func milliseconds(_ duration: Duration?) -> Int? {
    guard let duration else { return nil }
    guard duration > .zero else { return 1 }
    let (seconds, attoseconds) = duration.limited.components
    let limit: Int64 = 1_000_000
    guard seconds < limit else { return Int(limit) * 1000 }
    return max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
  }
}
