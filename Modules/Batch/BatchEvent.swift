/// What happens in a batch, for `Batch.observe`.
public enum BatchEvent: Sendable {
  /// This worker has begun to work on an item; again after a pause, a retry or a lost lease.
  case began(BatchItem)
  /// How far the batch is, and each item in flight. It comes every `Batch.Configuration.progressInterval` while something runs, and once
  /// at the end.
  case progressed(BatchSummary, [BatchItemProgress])
  /// An item has its result: once for each item of the store, in the order in which they ended, those of earlier processes included.
  case ended(BatchOutcome)
  /// Every item has its result, or the worker failed or was stopped: once, and nothing comes after it.
  case completed(Result<BatchSummary, any Error>)
}

/// How far an item is.
public struct BatchItemProgress: Sendable, Hashable, Identifiable {
  /// The name of the item.
  public var name: String
  /// How many bytes are done.
  public var completed: Int64
  /// How many there are; nil when that is not known.
  public var total: Int64?

  /// The name of the item.
  public var id: String { name }

  /// Creates a progress.
  public init(name: String, completed: Int64 = 0, total: Int64? = nil) {
    self.name = name
    self.completed = completed
    self.total = total
  }
}
