extension YAMLValue: Hashable {
  /// Returns true when both are the same YAML value; see ``YAMLValue``.
  ///
  /// Comparing keys that are sequences or mappings recurses as deep as those keys are nested; comparing values does not
  /// recurse.
  public static func == (left: YAMLValue, right: YAMLValue) -> Bool {
    var open: [(YAMLValue, YAMLValue)] = []
    var pair = (left, right)
    while true {
      guard compare(pair.0, pair.1, open: &open) else { return false }
      guard let next = open.popLast() else { return true }
      pair = next
    }
  }

  /// Compares two values, and queues the containers inside them.
  private static func compare(
    _ left: YAMLValue, _ right: YAMLValue, open: inout [(YAMLValue, YAMLValue)]
  ) -> Bool {
    switch (left, right) {
    case (.null, .null): return true
    case (.bool(let left), .bool(let right)): return left == right
    case (.int(let left), .int(let right)): return left == right
    case (.float(let left), .float(let right)): return left == right
    case (.string(let left), .string(let right)): return left.utf8.elementsEqual(right.utf8)
    case (.sequence(let left), .sequence(let right)):
      guard left.count == right.count else { return false }
      if left.hasStorage(of: right) { return true }
      for (left, right) in zip(left, right) {
        guard compareLeaf(left, right, open: &open) else { return false }
      }
      return true
    case (.mapping(let left), .mapping(let right)):
      guard left.count == right.count else { return false }
      if left.members.hasStorage(of: right.members) { return true }
      for (place, member) in left.members.enumerated() {
        guard let other = right.position(of: member.key, hash: member.hash, expectedAt: place),
          compareLeaf(member.value, right.members[other].value, open: &open)
        else { return false }
      }
      return true
    case (.tagged(let left), .tagged(let right)):
      return left.tag.utf8.elementsEqual(right.tag.utf8) && compareLeaf(left.value, right.value, open: &open)
    default: return false
    }
  }

  private static func compareLeaf(
    _ left: YAMLValue, _ right: YAMLValue, open: inout [(YAMLValue, YAMLValue)]
  ) -> Bool {
    switch (left, right) {
    case (.sequence, .sequence), (.mapping, .mapping), (.tagged, .tagged):
      open.append((left, right))
      return true
    default: return compare(left, right, open: &open)
    }
  }

  /// Hashes the value without recursion; equal values have equal hashes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ValueHash.hash(self))
  }
}

extension Array {
  /// Returns true when both share one array in memory, as aliases do.
  func hasStorage(of other: [Element]) -> Bool {
    withUnsafeBufferPointer { left in
      other.withUnsafeBufferPointer { right in left.baseAddress == right.baseAddress }
    }
  }
}
