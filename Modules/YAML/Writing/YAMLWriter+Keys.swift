extension YAMLWriter {
  /// The maximum size in bytes of a key that is written without `?`.
  ///
  /// libyaml searches 1,024 characters for the colon after a key.
  private static let longestSimpleKey = 512

  /// Returns whether a key can be written without a `?`.
  func isSimple(_ key: YAMLValue) -> Bool {
    switch key {
    case .string(let text):
      // An escape writes at most ten bytes for one character.
      text.utf8.count <= Self.longestSimpleKey / 10
        || text.utf8.count <= Self.longestSimpleKey && text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    case .int(let value): value.text.utf8.count <= Self.longestSimpleKey
    case .float(let value): value.text.utf8.count <= Self.longestSimpleKey
    case .null, .bool: true
    case .sequence, .mapping, .tagged: false
    }
  }

  /// Begins a key; writes a `?` before one that is not simple.
  mutating func simpleKey(_ key: YAMLValue, at position: Position) {
    if isSimple(key) {
      scalar(key, at: position, isKey: true)
    } else {
      put("? ")
      begin(key, at: position)
    }
  }
}
