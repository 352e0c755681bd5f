/// A YAML float that keeps every digit; only ``double`` rounds.
///
/// Two floats are equal when they have the same decimal value, however they are written: `1.5`, `1.50` and `15e-1` are
/// equal, and so are `0.0` and `-0.0`. NaN equals itself.
public struct YAMLFloat: Sendable {
  /// The text: `.inf`, `-.inf`, `.nan`, or a JSON number with a point or exponent.
  public let text: String

  /// Creates a float from a text that is known to have this form.
  init(checkedText: String) {
    text = checkedText
  }

  /// Positive infinity.
  public static let infinity = YAMLFloat(checkedText: ".inf")
  /// Negative infinity.
  public static let negativeInfinity = YAMLFloat(checkedText: "-.inf")
  /// Not a number.
  public static let nan = YAMLFloat(checkedText: ".nan")

  /// Creates a float from a `Double`, in its shortest exact spelling.
  public init(_ value: Double) {
    self.init(value, spelled: value.description)
  }

  /// Creates a float from a `Float`, in its shortest exact spelling.
  public init(_ value: Float) {
    self.init(Double(value), spelled: value.description)
  }

  private init(_ value: Double, spelled text: String) {
    if value.isNaN {
      self = .nan
    } else if value.isInfinite {
      self = value < 0 ? .negativeInfinity : .infinity
    } else {
      self.text = text
    }
  }

  /// Creates a float from any text that the core schema resolves to a number.
  ///
  /// - Returns: nil for any other text.
  public init?(text: String) {
    var text = text
    let value = text.withUTF8 { bytes in NumberResolver.float(bytes) }
    guard let value else { return nil }
    self = value
  }

  /// False for the infinities and NaN.
  public var isFinite: Bool { text.utf8.last?.isDigit ?? false }

  /// The nearest `Double`; infinite beyond the greatest finite one.
  public var double: Double {
    switch text {
    case ".inf": .infinity
    case "-.inf": -.infinity
    case ".nan": .nan
    default: Double(text) ?? (text.utf8.first == UInt8(ascii: "-") ? -.infinity : .infinity)
    }
  }

  /// Returns the value as an integer type; nil unless it is whole and in range.
  public func exactly<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
    guard isFinite else { return nil }
    return NormalDecimal(text).exactly(type)
  }
}

extension YAMLFloat: Hashable {
  /// Returns true when both have the same value.
  public static func == (left: YAMLFloat, right: YAMLFloat) -> Bool {
    if left.text == right.text { return true }
    guard left.isFinite, right.isFinite else { return false }
    return NormalDecimal(left.text) == NormalDecimal(right.text)
  }

  /// Hashes the value, so that equal floats have equal hashes.
  public func hash(into hasher: inout Hasher) {
    if isFinite { hasher.combine(NormalDecimal(text)) } else { hasher.combine(text) }
  }
}

extension YAMLFloat: ExpressibleByFloatLiteral {
  /// Creates a float from a floating-point literal.
  public init(floatLiteral value: Double) { self.init(value) }
}

extension YAMLFloat: CustomStringConvertible {
  /// The same as ``text``.
  public var description: String { text }
}

/// A decimal in normal form, without leading and trailing zeros.
///
/// Zero has no sign and no exponent.
struct NormalDecimal: Hashable {
  private(set) var isNegative = false
  /// The digits as ASCII; empty for zero.
  private(set) var digits: [UInt8] = []
  private(set) var exponent = 0

  /// The largest magnitude of an exponent.
  ///
  /// Larger ones are reduced to it, so that arithmetic on them cannot overflow.
  private static let exponentLimit = 100_000_000_000_000_000

  /// Reads a text in the grammar of a JSON number.
  init(_ text: String) {
    var rest = text.utf8[...]
    if rest.first == UInt8(ascii: "-") {
      isNegative = true
      rest = rest.dropFirst()
    }
    var fractionDigits = 0
    var sawPoint = false
    while let byte = rest.first, byte | 0x20 != UInt8(ascii: "e") {
      if byte == UInt8(ascii: ".") {
        sawPoint = true
      } else {
        if sawPoint { fractionDigits += 1 }
        if !digits.isEmpty || byte != UInt8(ascii: "0") { digits.append(byte) }
      }
      rest = rest.dropFirst()
    }
    guard !digits.isEmpty else {
      isNegative = false
      return
    }
    exponent = Self.exponent(rest.dropFirst()) - fractionDigits
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
  }

  private static func exponent(_ text: Substring.UTF8View) -> Int {
    var magnitude = 0
    for byte in text where byte.isDigit {
      magnitude = min(magnitude * 10 + Int(byte &- UInt8(ascii: "0")), exponentLimit)
    }
    return text.first == UInt8(ascii: "-") ? -magnitude : magnitude
  }

  /// Returns the value as an integer type if it is whole and in range.
  func exactly<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    if digits.isEmpty { return 0 }
    // No integer type has more decimal digits than bits.
    guard exponent >= 0, exponent <= Integer.bitWidth, digits.count <= Integer.bitWidth else { return nil }
    let sign = isNegative ? "-" : ""
    return Integer(sign + String(decoding: digits, as: UTF8.self) + String(repeating: "0", count: exponent))
  }
}
