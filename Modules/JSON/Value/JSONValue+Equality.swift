extension JSONValue: Hashable {
  /// Returns true when both are the same JSON value.
  ///
  /// Numbers are compared by decimal value, strings by code units, and objects regardless of the order of members;
  /// objects with duplicate names are equal only in the same order. Stack use does not grow with the depth.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    var open: [(JSONValue, JSONValue)] = []
    var pair = (left, right)
    while true {
      guard compare(pair.0, pair.1, open: &open) else { return false }
      guard let next = open.popLast() else { return true }
      pair = next
    }
  }

  /// Compares two values, and queues the containers inside them.
  private static func compare(
    _ left: JSONValue, _ right: JSONValue, open: inout [(JSONValue, JSONValue)]
  ) -> Bool {
    switch (left, right) {
    case (.null, .null): return true
    case (.bool(let left), .bool(let right)): return left == right
    case (.number(let left), .number(let right)): return left == right
    case (.string(let left), .string(let right)): return left.hasCodeUnits(of: right)
    case (.array(let left), .array(let right)):
      guard left.count == right.count else { return false }
      for (left, right) in zip(left, right) {
        guard compareLeaf(left, right, open: &open) else { return false }
      }
      return true
    case (.object(let left), .object(let right)):
      return compare(left, right, open: &open)
    default: return false
    }
  }

  private static func compare(
    _ left: JSONObject, _ right: JSONObject, open: inout [(JSONValue, JSONValue)]
  ) -> Bool {
    guard left.count == right.count else { return false }
    let sameOrder = zip(left.members, right.members).allSatisfy {
      $0.hash == $1.hash && $0.name.hasCodeUnits(of: $1.name)
    }
    if !sameOrder, left.firstRepeatedName != nil || right.firstRepeatedName != nil { return false }
    for (place, member) in left.members.enumerated() {
      guard let other = sameOrder ? place : right.position(of: member.name, hash: member.hash),
        compareLeaf(member.value, right.members[other].value, open: &open)
      else { return false }
    }
    return true
  }

  private static func compareLeaf(
    _ left: JSONValue, _ right: JSONValue, open: inout [(JSONValue, JSONValue)]
  ) -> Bool {
    switch (left, right) {
    case (.array, .array), (.object, .object):
      open.append((left, right))
      return true
    default: return compare(left, right, open: &open)
    }
  }

  /// Hashes the value, so that equal values have equal hashes.
  ///
  /// Only the count of containers nested more than four levels deep is hashed, which bounds stack use and time.
  public func hash(into hasher: inout Hasher) {
    hash(into: &hasher, levels: 4)
  }

  private func hash(into hasher: inout Hasher, levels: Int) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .string(let value):
      hasher.combine(3)
      hasher.combine(NameHash.hash(value))
    case .array(let elements):
      hasher.combine(elements.count)
      guard levels > 0 else { return }
      for element in elements { element.hash(into: &hasher, levels: levels - 1) }
    case .object(let object):
      hasher.combine(object.count)
      guard levels > 0 else { return }
      // A sum does not depend on the order of members.
      var sum: UInt64 = 0
      for member in object.members {
        var memberHasher = Hasher()
        memberHasher.combine(member.hash)
        member.value.hash(into: &memberHasher, levels: levels - 1)
        sum &+= UInt64(truncatingIfNeeded: memberHasher.finalize())
      }
      hasher.combine(sum)
    }
  }
}

extension JSONObject: Hashable {
  /// Returns true when both have the same members, in any order.
  ///
  /// With duplicate names the order must be the same.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    JSONValue.object(left) == JSONValue.object(right)
  }

  /// Hashes the members independently of their order.
  public func hash(into hasher: inout Hasher) {
    JSONValue.object(self).hash(into: &hasher)
  }
}
