extension YAMLValue {
  /// The value without its tag; itself when it has none.
  public var untagged: YAMLValue {
    if case .tagged(let tagged) = self { tagged.value } else { self }
  }

  /// The tag of an application, nil when there is none.
  public var tag: String? {
    if case .tagged(let tagged) = self { tagged.tag } else { nil }
  }

  /// True for `null`, tagged or not.
  public var isNull: Bool {
    if case .null = untagged { true } else { false }
  }

  /// The boolean, nil for every other kind of value.
  public var boolValue: Bool? {
    if case .bool(let value) = untagged { value } else { nil }
  }

  /// The number as `Int`, nil when it is none, not whole or out of range.
  public var intValue: Int? {
    switch untagged {
    case .int(let value): value.int
    case .float(let value): value.exactly()
    default: nil
    }
  }

  /// The nearest `Double` of an integer or a float, nil for every other kind of value.
  public var doubleValue: Double? {
    switch untagged {
    case .int(let value): value.double
    case .float(let value): value.double
    default: nil
    }
  }

  /// The string, nil for every other kind of value.
  public var stringValue: String? {
    if case .string(let value) = untagged { value } else { nil }
  }

  /// The elements of the sequence, nil for every other kind of value.
  public var sequenceValue: [YAMLValue]? {
    if case .sequence(let value) = untagged { value } else { nil }
  }

  /// The mapping, nil for every other kind of value.
  public var mappingValue: YAMLMapping? {
    if case .mapping(let value) = untagged { value } else { nil }
  }

  /// The value of a string key, nil when there is none or this is no mapping.
  public subscript(key: String) -> YAMLValue? {
    mappingValue?[key]
  }

  /// The element at a place from zero, nil when there is none or this is no sequence.
  public subscript(position: Int) -> YAMLValue? {
    guard let elements = sequenceValue, elements.indices.contains(position) else { return nil }
    return elements[position]
  }

  /// The canonical text of a scalar, nil of a sequence or a mapping: how keys are named where only text can be a name.
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

  /// The word for this kind of value in messages.
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
