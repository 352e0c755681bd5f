/// What a store says of its batch: how many items are in which state, and how far the bytes are.
public struct BatchSummary: Sendable, Hashable, Codable {
  /// Items that wait for their dependencies.
  public var blocked = 0
  /// Items that may begin as soon as there is a place, those included that wait before another try.
  public var ready = 0
  /// Items that a worker has leased, those included that were told to stop.
  public var running = 0
  /// Items that were paused alone and do not run.
  public var paused = 0
  /// Items that succeeded.
  public var succeeded = 0
  /// Items that failed.
  public var failed = 0
  /// Items that were cancelled.
  public var cancelled = 0
  /// Items that never ran because of another one.
  public var skipped = 0
  /// Whether the whole batch is paused.
  public var isPaused = false
  /// The item whose failure stopped the batch; nil while it is not stopped.
  public var stoppedBy: String?
  /// The rules.
  public var rules = BatchRules()
  /// How far it is by bytes.
  public var progress = BatchProgress()
  /// The state of the store that the summary is about; see `BatchStore.change(since:)`.
  public var revision: Int64 = 0

  /// Creates the summary of an empty store.
  public init() {}

  /// How many items have their result.
  public var ended: Int { succeeded + failed + cancelled + skipped }
  /// How many items there are.
  public var total: Int { blocked + ready + running + paused + ended }
  /// Whether every item has its result; true for a store without items.
  public var isComplete: Bool { ended == total }
}
