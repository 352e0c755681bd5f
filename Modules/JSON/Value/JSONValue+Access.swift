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
