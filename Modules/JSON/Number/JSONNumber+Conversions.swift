public import FoundationEssentials

extension JSONNumber {
  /// Returns the number as an integer type if it is whole and in range.
  ///
  /// `1.0` and `1e2` are whole. `1.5` gives nil, and so does a number out of range. Nothing is rounded.
  public func exactly<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
    if case .decimal(let significand, let layout) = storage, layout.isPlainInteger {
      guard layout.isNegative else { return Integer(exactly: significand) }
      if significand <= UInt64(Int64.max) {
        return Integer(exactly: -Int64(truncatingIfNeeded: significand))
      }
    }
    return normalForm.exactly(type)
  }

  /// The number as an `Int`; nil when it is not whole or out of range.
  public var int: Int? { exactly() }

  /// The nearest `Double`, ties to even; nil beyond the greatest finite one.
  ///
  /// A number too small for a `Double` becomes zero with its sign.
  public var double: Double? {
    switch storage {
    case .decimal(let significand, let layout):
      if let value = DecimalRounding.double(significand, exponent: layout.exponent, isNegative: layout.isNegative) {
        return value
      }
    case .text: break
    }
    guard let value = Double(text), value.isFinite else { return nil }
    return value
  }

  /// The number as a `Decimal`, exactly.
  ///
  /// - Returns: nil when the number has more significant digits than `Decimal` holds (38 or 39), or an exponent outside
  ///   −128…127.
  public var decimal: Decimal? {
    let isNegative: Bool
    let significand: Decimal
    let exponent: Int
    switch normalForm {
    case .short(let sign, let digits, let power):
      (isNegative, significand, exponent) = (sign, Decimal(digits), power)
    case .long(let sign, let digits, let power):
      // Some numbers of 39 digits still fit; the others would be rounded, which a comparison with the text detects.
      let text = String(decoding: digits, as: UTF8.self)
      guard digits.count <= 39, let value = Decimal(string: text), value.description == text else { return nil }
      (isNegative, significand, exponent) = (sign, value, power)
    }
    guard (-128...127).contains(exponent) else { return nil }
    return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
  }

  /// Creates a number from a `Decimal`, exactly.
  ///
  /// - Returns: nil for NaN, which JSON cannot represent.
  public init?(_ value: Decimal) {
    guard value.isFinite else { return nil }
    self.init(text: value.description)
  }
}

extension NormalDecimal {
  /// Returns the value as an integer type if it is whole and in range.
  func exactly<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    let isNegative: Bool
    let power: Int
    var result: Integer = 0
    switch self {
    case .short(let sign, let significand, let exponent):
      (isNegative, power) = (sign, exponent)
      if significand == 0 { return 0 }
      if let exact = Integer(exactly: significand) {
        result = exact
        if isNegative {
          let (negated, overflow) = Integer(0).subtractingReportingOverflow(exact)
          guard !overflow else { return nil }
          result = negated
        }
      } else {
        // Only the least value of a signed type has a magnitude that the type cannot hold.
        guard isNegative, exponent == 0, Integer.min.magnitude == significand else { return nil }
        return Integer.min
      }
    case .long(let sign, let digits, let exponent):
      (isNegative, power) = (sign, exponent)
      guard digits.count < Integer.bitWidth else { return nil }
      for digit in digits {
        let value = Integer(truncatingIfNeeded: digit &- UInt8(ascii: "0"))
        let (product, overflow) = result.multipliedReportingOverflow(by: 10)
        let (next, carry) =
          isNegative ? product.subtractingReportingOverflow(value) : product.addingReportingOverflow(value)
        guard !overflow, !carry else { return nil }
        result = next
      }
    }
    guard power >= 0, power < Integer.bitWidth else { return nil }
    for _ in 0..<power {
      let (product, overflow) = result.multipliedReportingOverflow(by: 10)
      guard !overflow else { return nil }
      result = product
    }
    return result
  }
}
