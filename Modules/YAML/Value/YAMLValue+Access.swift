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
