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
