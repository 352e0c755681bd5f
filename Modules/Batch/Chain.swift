/// Items of which each begins when the one before it has succeeded.
///
/// ```swift
/// try await batch.add(Chain([fetchList, fetchFiles, publish]))
/// ```
public struct Chain: Sendable, Hashable {
  /// The items, each with the one before it among its dependencies.
  public private(set) var items: [BatchItem] = []

  /// Creates a chain.
  public init(_ items: [BatchItem] = []) {
    for item in items { append(item) }
  }

  /// Adds an item behind the others.
  public mutating func append(_ item: BatchItem) {
    var item = item
    if let last = items.last, !item.dependencies.contains(last.name) { item.dependencies.append(last.name) }
    items.append(item)
  }
}
