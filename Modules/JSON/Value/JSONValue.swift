/// Any JSON value without loss: numbers keep their digits, objects their order.
///
/// A parsed value is nested no deeper than ``JSONParsingOptions/maximumDepth``. Comparing, hashing, writing, removing
/// nulls and coding either use no more stack for a deep value than for a flat one, or stop with an error at a depth
/// limit. Only the destruction of a value recurses, because Swift does that: a value nested by hand tens of thousands
/// of levels deep can exhaust the stack when it is destroyed.
///
/// Equality follows JSON: numbers are compared by decimal value, strings and names by code units (RFC 8259 §8.3), and
/// objects regardless of the order of members.
public enum JSONValue: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number, with the digits it was written with.
  case number(JSONNumber)
  /// A string, with its escapes resolved.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object, its members in source order.
  case object(JSONObject)
}

extension JSONValue {
  /// True for `null`.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The boolean; nil for any other kind of value.
  public var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The number; nil for any other kind of value.
  public var numberValue: JSONNumber? {
    if case .number(let value) = self { value } else { nil }
  }

  /// The number as an `Int`; nil if it is not a whole number in range.
  public var intValue: Int? { numberValue?.int }

  /// The nearest `Double`; nil if it is not a number or too large.
  public var doubleValue: Double? { numberValue?.double }

  /// The string; nil for any other kind of value.
  public var stringValue: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The elements of the array; nil for any other kind of value.
  public var arrayValue: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The object; nil for any other kind of value.
  public var objectValue: JSONObject? {
    if case .object(let value) = self { value } else { nil }
  }

  /// The value of a member; nil if it is missing or this is not an object.
  public subscript(name: String) -> JSONValue? {
    if case .object(let object) = self { object[name] } else { nil }
  }

  /// The element at an index; nil if out of range or this is not an array.
  public subscript(position: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(position) else { return nil }
    return elements[position]
  }

  /// The name of this kind of value in messages.
  var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

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

extension JSONValue: ExpressibleByNilLiteral {
  /// Creates `null`.
  public init(nilLiteral: ()) { self = .null }
}

extension JSONValue: ExpressibleByBooleanLiteral {
  /// Creates `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue: ExpressibleByIntegerLiteral {
  /// Creates a number from an integer literal.
  public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
}

extension JSONValue: ExpressibleByFloatLiteral {
  /// Creates a number from a floating-point literal; `null` if it is infinite.
  public init(floatLiteral value: Double) { self = JSONNumber(value).map(JSONValue.number) ?? .null }
}

extension JSONValue: ExpressibleByStringLiteral {
  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByStringInterpolation {}

extension JSONValue: ExpressibleByArrayLiteral {
  /// Creates an array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
  /// Creates an object.
  ///
  /// For a duplicate name, the last value takes the place of the first.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    var object = JSONObject()
    for (name, value) in elements { object[name] = value }
    self = .object(object)
  }
}

extension JSONValue {
  /// Returns the value without `null` members and, by default, `null` elements.
  ///
  /// All levels are included: `{"a":null,"b":[null,{"c":null}]}` becomes `{"b":[{}]}`, and with `fromArrays: false`
  /// `{"b":[null,{}]}`. Containers that become empty stay, and so does a `null` that is the whole value. Stack use does
  /// not grow with the depth.
  public func removingNulls(fromArrays: Bool = true) -> JSONValue {
    var open: [NullRemoval] = []
    var current = NullRemoval(self)
    while true {
      if let child = current.next() {
        switch child {
        case .null where fromArrays || current.isObject: break
        case .array, .object:
          open.append(current)
          current = NullRemoval(child)
        default: current.keep(child)
        }
      } else {
        let value = current.value
        guard let outer = open.popLast() else { return value }
        current = outer
        current.keep(value)
      }
    }
  }
}

/// One container during the walk: what remains to be visited and what is kept.
private struct NullRemoval {
  private let source: JSONValue
  private var position = 0
  private var elements: [JSONValue] = []
  private var members = JSONObject()

  init(_ source: JSONValue) {
    self.source = source
    if case .object(let object) = source { members.index.hasRepeatedNames = object.index.hasRepeatedNames }
  }

  var isObject: Bool {
    if case .object = source { true } else { false }
  }

  /// The kept part; a scalar is kept unchanged.
  var value: JSONValue {
    switch source {
    case .array: .array(elements)
    case .object: .object(members)
    default: source
    }
  }

  mutating func next() -> JSONValue? {
    defer { position += 1 }
    switch source {
    case .array(let source) where position < source.count: return source[position]
    case .object(let source) where position < source.count: return source.members[position].value
    default: return nil
    }
  }

  /// Keeps the child that ``next()`` returned last.
  mutating func keep(_ child: JSONValue) {
    switch source {
    case .object(let source):
      let member = source.members[position - 1]
      members.append(member.name, child, hash: member.hash)
    default: elements.append(child)
    }
  }
}
