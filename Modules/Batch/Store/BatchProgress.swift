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
