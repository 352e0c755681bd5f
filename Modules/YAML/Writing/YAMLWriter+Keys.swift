extension YAMLWriter {
  /// How many bytes a key may have before a `?` has to tell it: libyaml looks 1,024 characters ahead.
  private static let longestSimpleKey = 512

  /// Whether a key can stand before its `:` without a `?`.
  func isSimple(_ key: YAMLValue) -> Bool {
    switch key {
    case .string(let text):
      // Escapes make at most ten of one character.
      text.utf8.count <= Self.longestSimpleKey / 10
        || text.utf8.count <= Self.longestSimpleKey && text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    case .int(let value): value.text.utf8.count <= Self.longestSimpleKey
    case .float(let value): value.text.utf8.count <= Self.longestSimpleKey
    case .null, .bool: true
    case .sequence, .mapping, .tagged: false
    }
  }

  /// Begins a key; in flow style every key that is not simple has its `?`.
  mutating func simpleKey(_ key: YAMLValue, at position: Position) {
    if isSimple(key) {
      scalar(key, at: position, isKey: true)
    } else {
      put("? ")
      begin(key, at: position)
    }
  }
}
