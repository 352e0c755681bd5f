import Glibc

extension YAMLValue: Hashable {
  /// True when both denote the same YAML value; see ``YAMLValue``.
  ///
  /// Keys that are themselves sequences or mappings are compared within each other as deep as they are nested; values
  /// take no stack.
  public static func == (left: YAMLValue, right: YAMLValue) -> Bool {
    var open: [(YAMLValue, YAMLValue)] = []
    var pair = (left, right)
    while true {
      guard compare(pair.0, pair.1, open: &open) else { return false }
      guard let next = open.popLast() else { return true }
      pair = next
    }
  }

  /// Compares two values and leaves the containers within them for later.
  private static func compare(
    _ left: YAMLValue, _ right: YAMLValue, open: inout [(YAMLValue, YAMLValue)]
  ) -> Bool {
    switch (left, right) {
    case (.null, .null): return true
    case (.bool(let left), .bool(let right)): return left == right
    case (.int(let left), .int(let right)): return left == right
    case (.float(let left), .float(let right)): return left == right
    case (.string(let left), .string(let right)): return left.hasCodeUnits(of: right)
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
      return left.tag.hasCodeUnits(of: right.tag) && compareLeaf(left.value, right.value, open: &open)
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

  /// Feeds the value, so that equal values hash alike; the stack does not grow with its depth.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ValueHash.hash(self))
  }
}

extension Array {
  /// True when both are one array in memory, as those that aliases share are.
  func hasStorage(of other: [Element]) -> Bool {
    withUnsafeBufferPointer { left in
      other.withUnsafeBufferPointer { right in left.baseAddress == right.baseAddress }
    }
  }
}

extension String {
  /// True when both have the same UTF-8 bytes; `==` would also take canonically equivalent strings for equal.
  @inline(__always)
  func hasCodeUnits(of other: String) -> Bool {
    let count = utf8.count
    guard count == other.utf8.count else { return false }
    let equal = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return count == 0 }
        return memcmp(left, right, count) == 0
      }
    }
    // Strings that are not native are compared byte by byte.
    return (equal ?? nil) ?? utf8.elementsEqual(other.utf8)
  }
}
