/// One `name=value` of a field, in the order and with the value the sender gave.
public struct FieldParameter: Sendable, Hashable {
  /// The name; parsers give it in lower case.
  public var name: String
  /// The value without quotes and escapes.
  public var value: String

  /// Creates a parameter; nothing is checked until it is written.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

extension [FieldParameter] {
  /// The value of the first parameter of this name, letters in any case.
  ///
  /// Nil without one.
  public subscript(name: String) -> String? {
    first { $0.name.equalsIgnoringASCIICase(name) }?.value
  }
}
