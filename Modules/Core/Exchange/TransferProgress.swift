/// A snapshot of a transfer's progress.
public struct TransferProgress: Sendable, Hashable {
  /// The bytes since the previous snapshot; those that an earlier download has left are in none.
  public var recent: Int64
  /// The bytes so far; never decreasing, never more than `total`.
  public var completed: Int64
  /// The total bytes; nil when unknown.
  public var total: Int64?
  /// The smoothed rate in bytes per second; nil when unknown.
  public var rate: Double?
  /// Whether this is the last snapshot.
  ///
  /// A download has exactly one if it succeeds, at its end. An upload has exactly one when its whole body is sent, before the response
  /// is handed over; none follows, even if the body is sent again. A response that arrives before that, such as a rejection, leaves an
  /// upload without one.
  public var isFinal: Bool

  /// Creates a snapshot.
  public init(recent: Int64, completed: Int64, total: Int64?, rate: Double? = nil, isFinal: Bool = false) {
    self.recent = recent
    self.completed = completed
    self.total = total
    self.rate = rate
    self.isFinal = isFinal
  }

  /// The completed fraction, 0 to 1; nil when the total is unknown.
  public var fraction: Double? {
    guard let total else { return nil }
    return total > 0 ? min(1, Double(completed) / Double(total)) : (isFinal ? 1 : 0)
  }

  /// The remaining time at the current rate; nil when unknown.
  public var timeLeft: Duration? {
    guard let total, let rate, rate > 0, total >= completed else { return nil }
    let seconds = Double(total - completed) / rate
    return seconds < 1e9 ? .milliseconds(Int64(seconds * 1000)) : nil
  }
}
