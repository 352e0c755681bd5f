import CurlewCore

/// Timeouts as libcurl counts them.
struct TimeLimits: Sendable {
  /// Milliseconds; 0 is libcurl's own, five minutes.
  var connect: Int
  /// Nanoseconds; nil is none.
  var idle: UInt64?
  /// Milliseconds; 0 is none.
  var total: Int

  /// Nanoseconds until the request must be on a connection. libcurl keeps this time for the request that connects, and
  /// none for those that wait to share its connection.
  var toBegin: UInt64 {
    let connect = self.connect > 0 ? self.connect : 300_000
    return UInt64(total > 0 ? min(connect, total) : connect) * 1_000_000
  }

  init(_ timeouts: Timeouts) {
    connect = Self.milliseconds(timeouts.connect) ?? 0
    idle = Self.milliseconds(timeouts.idle).map { UInt64($0) * 1_000_000 }
    total = Self.milliseconds(timeouts.total) ?? 0
  }

  /// The same with no more time in all than is left until a deadline.
  func within(_ left: Duration) throws(NetworkError) -> TimeLimits {
    guard left > .zero, let milliseconds = Self.milliseconds(left) else {
      throw NetworkError(.timedOut, stage: .preparing, message: "The deadline has passed.")
    }
    var limits = self
    limits.total = total == 0 ? milliseconds : min(total, milliseconds)
    return limits
  }

  /// Whole milliseconds, at least 1; nil when there is no such limit.
  private static func milliseconds(_ duration: Duration?) -> Int? {
    guard let duration else { return nil }
    guard duration > .zero else { return 1 }
    let (seconds, attoseconds) = duration.components
    let limit: Int64 = 1_000_000
    guard seconds < limit else { return Int(limit) * 1000 }
    return max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
  }
}
