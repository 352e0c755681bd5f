/// How far a batch is by bytes, from sums that a store can keep.
///
/// The size of an item is what its worker said last (`BatchProduct.bytes`, `BatchRenewal.total`), or `BatchItem.expectedBytes`.
/// Items whose size is not known count as the mean of the others. An item that has ended counts as done, however it ended.
public struct BatchProgress: Sendable, Hashable, Codable {
  /// All items.
  public var items = 0
  /// All items that have ended.
  public var endedItems = 0
  /// The items whose size is known.
  public var sizedItems = 0
  /// Those of them that have ended.
  public var endedSizedItems = 0
  /// The sum of all known sizes, in bytes.
  public var sizedBytes: Int64 = 0
  /// The sum of the known sizes of items that have ended, in bytes.
  public var endedBytes: Int64 = 0
  /// The bytes that are done of items that have not ended and whose size is known, each at most its size.
  public var partialBytes: Int64 = 0

  /// Creates the progress of an empty store.
  public init() {}

  /// The share that is done, 0 to 1; 1 for no items.
  public var fraction: Double {
    guard items > endedItems else { return 1 }
    let mean = sizedItems > 0 ? Double(sizedBytes) / Double(sizedItems) : 1
    let whole = Double(sizedBytes) + Double(items - sizedItems) * mean
    // A batch of empty files advances by items.
    guard whole > 0 else { return Double(endedItems) / Double(items) }
    let done = Double(endedBytes) + Double(partialBytes) + Double(endedItems - endedSizedItems) * mean
    return min(max(done / whole, 0), 1)
  }
}
