/// How far a transfer has come; a snapshot.
public struct TransferProgress: Sendable, Hashable {
  /// Bytes since the snapshot before.
  public var recent: Int64
  /// Bytes so far; never less than in the snapshot before, never more than `total`.
  public var completed: Int64
  /// All bytes; nil when unknown.
  public var total: Int64?
  /// Bytes a second, smoothed; nil when there is too little to tell.
  public var rate: Double?
  /// Whether this is the last snapshot; there is exactly one such for each transfer that ended well.
  public var isFinal: Bool

  /// Makes a snapshot.
  public init(recent: Int64, completed: Int64, total: Int64?, rate: Double? = nil, isFinal: Bool = false) {
    self.recent = recent
    self.completed = completed
    self.total = total
    self.rate = rate
    self.isFinal = isFinal
  }

  /// The part that is done, 0…1; nil when the total is unknown.
  public var fraction: Double? {
    guard let total else { return nil }
    return total > 0 ? min(1, Double(completed) / Double(total)) : (isFinal ? 1 : 0)
  }

  /// Time left at the current rate; nil when it cannot be told.
  public var timeLeft: Duration? {
    guard let total, let rate, rate > 0, total >= completed else { return nil }
    let seconds = Double(total - completed) / rate
    return seconds < 1e9 ? .milliseconds(Int64(seconds * 1000)) : nil
  }
}
