public import FoundationEssentials

/// A worker's report that it still works on an item, with its progress.
public struct BatchRenewal: Sendable, Hashable {
  /// The identifier of the lease.
  public var id: BatchLease.ID
  /// The number of bytes that are done.
  public var completed: Int64
  /// The size of the work in bytes; nil keeps the known size.
  public var total: Int64?
  /// A note for the next worker of the item, which reads it in `BatchLease.note`.
  ///
  /// It has at most `BatchLimits.inputBytes` bytes; nil keeps the previous note.
  public var note: Data?

  /// Creates a renewal.
  public init(_ id: BatchLease.ID, completed: Int64 = 0, total: Int64? = nil, note: Data? = nil) {
    self.id = id
    self.completed = completed
    self.total = total
    self.note = note
  }
}

/// The instruction to a worker about an item that it works on.
public enum BatchOrder: String, Sendable, Hashable, CaseIterable {
  /// Continue; the lease was extended.
  case proceed
  /// Stop, keep the partial work, and release the item; the lease holds until then.
  case pause
  /// Stop and finish the item as cancelled; the lease holds until then.
  ///
  /// If the work is already done, finish it with its result instead.
  case cancel
  /// Stop without publishing or finishing anything, because the lease is lost.
  case abandon
}

/// The reason why a worker gives an item back without a result.
public enum BatchRelease: Sendable, Hashable {
  /// The worker stops, or was told to pause.
  ///
  /// The item is ready again at once, unless it is paused.
  case unfinished
  /// The work failed and is retried after this time; the item counts one more retry.
  case retry(after: Duration)
}
