extension YAMLValue: ExpressibleByNilLiteral {
  /// Makes `null`.
  public init(nilLiteral: ()) { self = .null }
}

extension YAMLValue: ExpressibleByBooleanLiteral {
  /// Makes `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension YAMLValue: ExpressibleByIntegerLiteral {
  /// Makes an integer.
  public init(integerLiteral value: Int) { self = .int(YAMLInteger(value)) }
}

extension YAMLValue: ExpressibleByFloatLiteral {
  /// Makes a float.
  public init(floatLiteral value: Double) { self = .float(YAMLFloat(value)) }
}

extension YAMLValue: ExpressibleByStringLiteral {
  /// Makes a string.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension YAMLValue: ExpressibleByStringInterpolation {}

extension YAMLValue: ExpressibleByArrayLiteral {
  /// Makes a sequence.
  public init(arrayLiteral elements: YAMLValue...) { self = .sequence(elements) }
}

extension YAMLValue: ExpressibleByDictionaryLiteral {
  /// Makes a mapping; of a key that comes twice the last value is kept, in the first one's place.
  public init(dictionaryLiteral elements: (YAMLValue, YAMLValue)...) {
    var mapping = YAMLMapping()
    for (key, value) in elements { mapping[key] = value }
    self = .mapping(mapping)
  }
}
