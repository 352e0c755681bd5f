extension StructuredField {
  /// A map that keeps its keys in the order in which they were first set.
  ///
  /// ``Dictionary`` and ``Parameters`` are of this type. Each key occurs once: setting it again replaces its value and keeps
  /// its position (RFC 9651 §4.2.2). A lookup takes constant time.
  public struct KeyedValues<Value: Sendable & Hashable>: Sendable {
    /// One key with its value.
    public struct Entry: Sendable, Hashable {
      /// The key: lower-case letters, digits, `_`, `-`, `.` and `*`.
      public let key: String
      /// The value of the key.
      public internal(set) var value: Value
    }

    var entries: [Entry] = []
    private var places: [String: Int] = [:]

    /// Creates an empty map.
    public init() {}

    /// The value for a key; setting nil removes the key.
    public subscript(key: String) -> Value? {
      get { places[key].map { entries[$0].value } }
      set {
        switch (places[key], newValue) {
        case (let place?, let value?):
          entries[place].value = value
        case (nil, let value?):
          places[key] = entries.count
          entries.append(Entry(key: key, value: value))
        case (let place?, nil):
          entries.remove(at: place)
          places[key] = nil
          for later in place..<entries.count { places[entries[later].key] = later }
        case (nil, nil):
          break
        }
      }
    }
  }
}

extension StructuredField.KeyedValues: Hashable {
  /// Returns whether both have equal entries in the same order.
  public static func == (left: Self, right: Self) -> Bool { left.entries == right.entries }

  /// Hashes the entries in order.
  public func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}

extension StructuredField.KeyedValues: RandomAccessCollection {
  /// The index of the first entry, which is 0.
  public var startIndex: Int { 0 }
  /// The index after the last entry, which is the number of entries.
  public var endIndex: Int { entries.count }
  /// The entry at a valid index.
  public subscript(position: Int) -> Entry { entries[position] }
}

extension StructuredField.KeyedValues: ExpressibleByDictionaryLiteral {
  /// Creates a map from a literal; the last value of a repeated key counts.
  public init(dictionaryLiteral elements: (String, Value)...) {
    for (key, value) in elements { self[key] = value }
  }
}
