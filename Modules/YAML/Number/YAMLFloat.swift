/// A YAML float that keeps every digit it was written with; nothing is rounded until ``double`` is asked for.
///
/// Two floats are equal when they denote the same decimal value, however they are spelled: `1.5`, `1.50` and `15e-1` are
/// equal, and so are `0.0` and `-0.0`. Not a number equals itself.
public struct YAMLFloat: Sendable {
  /// The spelling: `.inf`, `-.inf`, `.nan`, or a number with the grammar of JSON and a point or an exponent.
  public let text: String

  /// Takes a spelling that has this form.
  init(checkedText: String) {
    text = checkedText
  }

  /// Positive infinity.
  public static let infinity = YAMLFloat(checkedText: ".inf")
  /// Negative infinity.
  public static let negativeInfinity = YAMLFloat(checkedText: "-.inf")
  /// Not a number.
  public static let nan = YAMLFloat(checkedText: ".nan")

  /// Makes the float of a `Double`, in its shortest spelling that reads back alike.
  public init(_ value: Double) {
    self.init(value, spelled: value.description)
  }

  /// Makes the float of a `Float`, in its shortest spelling that reads back alike.
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

  /// Makes a float of any spelling that YAML's core schema takes as a number.
  ///
  /// - Returns: nil for other texts.
  public init?(text: String) {
    var text = text
    let value = text.withUTF8 { bytes in NumberResolver.float(bytes) }
    guard let value else { return nil }
    self = value
  }

  /// False for the infinities and not a number.
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

  /// The value as an integer type, nil when it has a fraction, is not finite or out of range.
  public func exactly<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
    guard isFinite else { return nil }
    return NormalDecimal(text).exactly(type)
  }
}

extension YAMLFloat: Hashable {
  /// True when both denote the same value.
  public static func == (left: YAMLFloat, right: YAMLFloat) -> Bool {
    if left.text == right.text { return true }
    guard left.isFinite, right.isFinite else { return false }
    return NormalDecimal(left.text) == NormalDecimal(right.text)
  }

  /// Feeds the value, so that equal floats hash alike.
  public func hash(into hasher: inout Hasher) {
    if isFinite { hasher.combine(NormalDecimal(text)) } else { hasher.combine(text) }
  }
}

extension YAMLFloat: ExpressibleByFloatLiteral {
  /// Makes the number of a floating-point literal.
  public init(floatLiteral value: Double) { self.init(value) }
}

extension YAMLFloat: CustomStringConvertible {
  /// The same as ``text``.
  public var description: String { text }
}
