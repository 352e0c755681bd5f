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

/// The progress of a batch in bytes, computed from sums that a store can keep.
///
/// The size of an item is the last one that its worker reported (`BatchProduct.bytes`, `BatchRenewal.total`), or else
/// `BatchItem.expectedBytes`. An item of unknown size counts with the mean of the others. An item that has ended counts as
/// done, whatever its result is.
public struct BatchProgress: Sendable, Hashable, Codable {
  /// The number of items.
  public var items = 0
  /// The number of items that have ended.
  public var endedItems = 0
  /// The number of items whose size is known.
  public var sizedItems = 0
  /// The number of items that have ended and whose size is known.
  public var endedSizedItems = 0
  /// The sum of all known sizes, in bytes.
  public var sizedBytes: Int64 = 0
  /// The sum of the known sizes of items that have ended, in bytes.
  public var endedBytes: Int64 = 0
  /// The bytes that are done of items of known size that have not ended.
  ///
  /// Each item counts with at most its size.
  public var partialBytes: Int64 = 0

  /// Creates the progress of an empty store.
  public init() {}

  /// The fraction that is done, 0 to 1; 1 without items.
  public var fraction: Double {
    guard items > endedItems else { return 1 }
    let mean = sizedItems > 0 ? Double(sizedBytes) / Double(sizedItems) : 1
    let whole = Double(sizedBytes) + Double(items - sizedItems) * mean
    // The progress of a batch of empty files is measured in items.
    guard whole > 0 else { return Double(endedItems) / Double(items) }
    let done = Double(endedBytes) + Double(partialBytes) + Double(endedItems - endedSizedItems) * mean
    return min(max(done / whole, 0), 1)
  }
}
