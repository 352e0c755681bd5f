/// The dependencies among items that are added to a store together.
///
/// It performs no I/O: a store checks `outside` against its own items. An item can only be added after its dependencies or
/// with them, so no cycle can include items of two calls.
public struct BatchGraph: Sendable {
  /// A dependency that is not among the items.
  public struct Outside: Sendable, Hashable {
    /// The name of the dependency.
    public let name: String
    /// The name of the first item that has it.
    public let item: String

    /// The error if the store does not have the dependency either.
    public var unknown: BatchError {
      BatchError(
        .unknownDependency, item: item,
        "it depends on \"\(BatchError.shown(name))\", which is neither in the store nor among the "
          + "items that are added")
    }
  }

  /// The indices of the items, each item after its dependencies.
  public let order: [Int]
  /// The dependencies that are not among the items, each once, as first mentioned.
  public let outside: [Outside]

  /// Reads the dependencies of items.
  ///
  /// - Throws: `BatchError` of kind `invalidItem`, `duplicateItem` or `dependencyCycle`.
  public init(_ items: [BatchItem]) throws(BatchError) {
    guard items.count <= BatchLimits.itemsPerCall else {
      throw BatchError(
        .invalidItem, "\(items.count) items are too many for one call; add at most \(BatchLimits.itemsPerCall)")
    }
    let indices = try Self.indices(items)
    var outside: [Outside] = []
    var seenOutside = ItemTable<Void>()
    var dependents = [[Int32]](repeating: [], count: items.count)
    var missing = [Int32](repeating: 0, count: items.count)
    for (index, item) in items.enumerated() {
      for name in item.dependencies {
        if let dependency = indices[name] {
          dependents[dependency].append(Int32(index))
          missing[index] += 1
        } else if seenOutside.updateValue((), forKey: name) == nil {
          outside.append(Outside(name: name, item: item.name))
        }
      }
    }
    var order = missing.indices.filter { missing[$0] == 0 }
    order.reserveCapacity(items.count)
    var next = 0
    while next < order.count {
      for dependent in dependents[order[next]] {
        missing[Int(dependent)] -= 1
        if missing[Int(dependent)] == 0 { order.append(Int(dependent)) }
      }
      next += 1
    }
    guard order.count == items.count else { throw Self.cycle(items, indices, missing) }
    self.order = order
    self.outside = outside
  }

  private static func indices(_ items: [BatchItem]) throws(BatchError) -> ItemTable<Int> {
    var indices = ItemTable<Int>()
    indices.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      try item.check()
      guard indices.updateValue(index, forKey: item.name) == nil else {
        throw BatchError(.duplicateItem, item: item.name, "two of the items that are added have this name")
      }
    }
    return indices
  }

  /// Returns the error for a cycle, by following dependencies until an item repeats.
  private static func cycle(_ items: [BatchItem], _ indices: ItemTable<Int>, _ missing: [Int32]) -> BatchError {
    var path: [Int] = []
    var places: [Int: Int] = [:]
    var current = missing.firstIndex { $0 > 0 }
    while let index = current, places[index] == nil {
      places[index] = path.count
      path.append(index)
      current = items[index].dependencies.lazy.compactMap { indices[$0] }.first { missing[$0] > 0 }
    }
    let circle = path[(current.flatMap { places[$0] } ?? 0)...]
    let names = circle.prefix(10).map { "\"\(BatchError.shown(items[$0].name))\"" }.joined(separator: ", ")
    let rest = circle.count > 10 ? " and \(circle.count - 10) more" : ""
    return BatchError(
      .dependencyCycle, item: circle.first.map { items[$0].name },
      circle.count == 1
        ? "it depends on itself"
        : "these items depend on each other in a circle: \(names)\(rest); take one dependency out")
  }
}

/// Values by the names of items, which are compared by their bytes.
///
/// Two names that Unicode considers equal, such as `é` in its two forms, are two items, as they are two files.
struct ItemTable<Value> {
  private struct Name: Hashable {
    let text: String

    static func == (a: Name, b: Name) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    func hash(into hasher: inout Hasher) {
      var text = text
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
  }

  private var table: [Name: Value] = [:]

  var count: Int { table.count }
  var isEmpty: Bool { table.isEmpty }
  var keys: [String] { table.keys.map(\.text) }
  var values: [Value] { Array(table.values) }

  subscript(name: String) -> Value? {
    get { table[Name(text: name)] }
    set { table[Name(text: name)] = newValue }
  }

  /// Sets a value, and returns the old one.
  mutating func updateValue(_ value: Value, forKey name: String) -> Value? {
    table.updateValue(value, forKey: Name(text: name))
  }

  mutating func reserveCapacity(_ count: Int) { table.reserveCapacity(count) }
}

extension ItemTable: Sendable where Value: Sendable {}
