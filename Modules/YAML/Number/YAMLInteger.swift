/// An integer of any size, kept as decimal digits.
public struct YAMLInteger: Sendable, Hashable {
  /// The decimal digits, with a minus if negative, without leading zeros.
  public let text: String

  /// Creates an integer from digits that are known to have this form.
  init(checkedText: String) {
    text = checkedText
  }

  /// Creates an integer from any integer type, exactly.
  public init(_ value: some BinaryInteger) {
    text = String(value)
  }

  /// Creates an integer from decimal digits with an optional sign.
  ///
  /// - Returns: nil when `text` is anything else.
  public init?(text: String) {
    var text = text
    let digits = text.withUTF8 { bytes -> String? in
      let start = bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+") ? 1 : 0
      guard start < bytes.count, bytes[start...].allSatisfy(\.isDigit) else { return nil }
      return NumberText.decimal(
        UnsafeBufferPointer(rebasing: bytes[start...]), isNegative: bytes[0] == UInt8(ascii: "-"))
    }
    guard let digits else { return nil }
    self.text = digits
  }

  /// Returns the value as an integer type; nil when it is out of range.
  public func exactly<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
    Integer(text)
  }

  /// The value as an `Int`; nil when it is out of range.
  public var int: Int? { Int(text) }

  /// The nearest `Double`; infinite beyond the greatest finite one.
  public var double: Double {
    if let value = Int(text) { return Double(value) }
    return Double(text) ?? (text.utf8.first == UInt8(ascii: "-") ? -.infinity : .infinity)
  }
}

extension YAMLInteger: ExpressibleByIntegerLiteral {
  /// Creates an integer from an integer literal.
  public init(integerLiteral value: Int) { self.init(value) }
}

extension YAMLInteger: CustomStringConvertible {
  /// The same as ``text``.
  public var description: String { text }
}

extension UInt8 {
  var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
}
