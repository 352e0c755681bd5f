/// A list of items that run one after another; each begins when the previous one has succeeded.
///
/// ```swift
/// try await batch.add(BatchChain([fetchList, fetchFiles, publish]))
/// ```
public struct BatchChain: Sendable, Hashable {
  /// The items; each has the previous one among its dependencies.
  public private(set) var items: [BatchItem] = []

  /// Creates a chain.
  public init(_ items: [BatchItem] = []) {
    for item in items { append(item) }
  }

  /// Adds an item to the end of the chain.
  public mutating func append(_ item: BatchItem) {
    var item = item
    if let last = items.last, !item.dependencies.contains(last.name) { item.dependencies.append(last.name) }
    items.append(item)
  }
}
