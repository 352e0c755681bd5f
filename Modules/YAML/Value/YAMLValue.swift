/// Any YAML value, with mappings in source order and numbers without loss.
///
/// The schema determines the kinds of scalars. Comments, styles and anchors are not part of a value: an alias is
/// replaced by the node it refers to, which is shared in memory. A parsed value is nested no deeper than
/// ``YAMLParsingOptions/maximumDepth``; comparing and writing use no more stack for a deep value than for a flat one.
/// Destroying a value recurses, because Swift does that: a value nested by hand tens of thousands of levels deep can
/// exhaust the stack when it is destroyed.
///
/// Equality follows YAML 1.2 §3.2.1.3: values must have the same kind and tag; strings are compared by code units,
/// numbers by value, and mappings regardless of the order of their entries. An integer never equals a float.
public enum YAMLValue: Sendable {
  /// `null`, `~` or nothing.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// An integer of any size.
  case int(YAMLInteger)
  /// A number with a fraction or an exponent, an infinity, or not a number.
  case float(YAMLFloat)
  /// A string.
  case string(String)
  /// A sequence.
  case sequence([YAMLValue])
  /// A mapping, its entries in source order.
  case mapping(YAMLMapping)
  /// A value with a tag that the schema does not know, such as `!celsius 21`.
  case tagged(YAMLTagged)
}

extension YAMLValue {
  /// The value without its tag.
  public var untagged: YAMLValue {
    if case .tagged(let tagged) = self { tagged.value } else { self }
  }

  /// The application's tag; nil if the value has none.
  public var tag: String? {
    if case .tagged(let tagged) = self { tagged.tag } else { nil }
  }

  /// True for `null`, tagged or not.
  public var isNull: Bool {
    if case .null = untagged { true } else { false }
  }

  /// The boolean; nil for any other kind of value.
  public var boolValue: Bool? {
    if case .bool(let value) = untagged { value } else { nil }
  }

  /// The number as an `Int`; nil if it is not a whole number in range.
  public var intValue: Int? {
    switch untagged {
    case .int(let value): value.int
    case .float(let value): value.exactly()
    default: nil
    }
  }

  /// The nearest `Double` of an integer or a float; nil for any other kind.
  public var doubleValue: Double? {
    switch untagged {
    case .int(let value): value.double
    case .float(let value): value.double
    default: nil
    }
  }

  /// The string; nil for any other kind of value.
  public var stringValue: String? {
    if case .string(let value) = untagged { value } else { nil }
  }

  /// The elements of the sequence; nil for any other kind of value.
  public var sequenceValue: [YAMLValue]? {
    if case .sequence(let value) = untagged { value } else { nil }
  }

  /// The mapping; nil for any other kind of value.
  public var mappingValue: YAMLMapping? {
    if case .mapping(let value) = untagged { value } else { nil }
  }

  /// The value of a string key; nil if it is missing or this is not a mapping.
  public subscript(key: String) -> YAMLValue? {
    mappingValue?[key]
  }

  /// The element at an index; nil if out of range or this is not a sequence.
  public subscript(position: Int) -> YAMLValue? {
    guard let elements = sequenceValue, elements.indices.contains(position) else { return nil }
    return elements[position]
  }

  /// The canonical text of a scalar; nil for a sequence or a mapping.
  ///
  /// It is the name of a key where a name must be text.
  public var scalarText: String? {
    switch untagged {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): value.text
    case .float(let value): value.text
    case .string(let value): value
    default: nil
    }
  }

  /// The name of this kind of value in messages.
  var kindName: String {
    switch untagged {
    case .null: "null"
    case .bool: "a boolean"
    case .int: "an integer"
    case .float: "a float"
    case .string: "a string"
    case .sequence: "a sequence"
    case .mapping, .tagged: "a mapping"
    }
  }
}

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

extension YAMLValue: ExpressibleByNilLiteral {
  /// Creates `null`.
  public init(nilLiteral: ()) { self = .null }
}

extension YAMLValue: ExpressibleByBooleanLiteral {
  /// Creates `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension YAMLValue: ExpressibleByIntegerLiteral {
  /// Creates an integer.
  public init(integerLiteral value: Int) { self = .int(YAMLInteger(value)) }
}

extension YAMLValue: ExpressibleByFloatLiteral {
  /// Creates a float.
  public init(floatLiteral value: Double) { self = .float(YAMLFloat(value)) }
}

extension YAMLValue: ExpressibleByStringLiteral {
  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension YAMLValue: ExpressibleByStringInterpolation {}

extension YAMLValue: ExpressibleByArrayLiteral {
  /// Creates a sequence.
  public init(arrayLiteral elements: YAMLValue...) { self = .sequence(elements) }
}

extension YAMLValue: ExpressibleByDictionaryLiteral {
  /// Creates a mapping.
  ///
  /// For a duplicate key, the last value takes the place of the first.
  public init(dictionaryLiteral elements: (YAMLValue, YAMLValue)...) {
    var mapping = YAMLMapping()
    for (key, value) in elements { mapping[key] = value }
    self = .mapping(mapping)
  }
}
