/// A summary of a batch: the number of items in each state, and the progress.
public struct BatchSummary: Sendable, Hashable, Codable {
  /// Items that wait for their dependencies.
  public var blocked = 0
  /// Items that may begin as soon as there is a place, or wait before a retry.
  public var ready = 0
  /// Items that a worker has leased, including those that were told to stop.
  public var running = 0
  /// Items that were themselves paused and are not running.
  public var paused = 0
  /// Items that succeeded.
  public var succeeded = 0
  /// Items that failed.
  public var failed = 0
  /// Items that were cancelled.
  public var cancelled = 0
  /// Items that never ran because another one failed.
  public var skipped = 0
  /// Whether the whole batch is paused.
  public var isPaused = false
  /// The item whose failure stopped the batch; nil if the batch is not stopped.
  public var stoppedBy: String?
  /// The rules.
  public var rules = BatchRules()
  /// The progress in bytes.
  public var progress = BatchProgress()
  /// The revision of the store for this summary; see `BatchStore.change(since:)`.
  public var revision: Int64 = 0

  /// Creates the summary of an empty store.
  public init() {}

  /// The number of items with a result.
  public var ended: Int { succeeded + failed + cancelled + skipped }
  /// The number of items.
  public var total: Int { blocked + ready + running + paused + ended }
  /// Whether every item has a result; true for a store without items.
  public var isComplete: Bool { ended == total }
}
