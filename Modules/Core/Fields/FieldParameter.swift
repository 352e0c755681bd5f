/// A `name=value` pair of a field.
public struct FieldParameter: Sendable, Hashable {
  /// The name; parsers convert it to lower case.
  public var name: String
  /// The value without quotes and escapes.
  public var value: String

  /// Creates a parameter, which is checked when it is written.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

extension [FieldParameter] {
  /// The value of the first parameter with a name, ignoring case; nil if absent.
  public subscript(name: String) -> String? {
    first { $0.name.equalsIgnoringASCIICase(name) }?.value
  }
}
