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
