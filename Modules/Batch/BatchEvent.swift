/// An event in a batch, as `Batch.observe` delivers it.
public enum BatchEvent: Sendable {
  /// This worker has begun to work on an item.
  ///
  /// The event is repeated when the item begins again after a pause, a retry or a lost lease.
  case began(BatchItem)
  /// The progress of the batch and of each item in flight.
  ///
  /// It is sent every `Batch.Configuration.progressInterval` while an item runs, and once at the end.
  case progressed(BatchSummary, [BatchItemProgress])
  /// An item has its result.
  ///
  /// The event is sent once for each item in the store, in the order in which the items ended. It includes the results of other
  /// workers and of earlier processes.
  case ended(BatchOutcome)
  /// Every item has its result, or the worker failed or was stopped.
  ///
  /// This is the last event, and it is sent once.
  case completed(Result<BatchSummary, any Error>)
}

/// The progress of one item.
public struct BatchItemProgress: Sendable, Hashable, Identifiable {
  /// The name of the item.
  public var name: String
  /// The number of bytes that are done.
  public var completed: Int64
  /// The total number of bytes; nil if it is unknown.
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
