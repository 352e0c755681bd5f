/// Exact rounding of a short decimal to the nearest `Double`.
enum DecimalRounding {
  /// The highest power of five that fits into 64 bits.
  private static let mostFives = 27

  /// Returns the `Double` nearest to `significand` × 10^`exponent`, ties to even.
  ///
  /// Within ±27 powers of ten, the quotient or product is computed in 128 bits, and its remainder is known, so that the
  /// result is rounded only once. Such results are neither subnormal nor infinite.
  ///
  /// - Returns: nil when the exponent is outside ±27; the caller then uses a general algorithm.
  static func double(_ significand: UInt64, exponent: Int, isNegative: Bool) -> Double? {
    guard significand != 0 else { return isNegative ? -0.0 : 0.0 }
    if exponent == 0 {
      // The conversion rounds to nearest, ties to even.
      return isNegative ? -Double(significand) : Double(significand)
    }
    guard exponent >= -mostFives, exponent <= mostFives else { return nil }
    let shift = significand.leadingZeroBitCount
    let digits = significand << UInt64(shift)
    let fives = powersOfFive[exponent.magnitude <= mostFives ? Int(exponent.magnitude) : 0]
    let lead = fives.leadingZeroBitCount
    let factor = fives << UInt64(lead)
    // Both operands have their top bit set, so at least 63 of the 64 bits kept are significant: many more than the 53
    // of a Double. The bits cut off matter only as "not zero", which the lowest bit records.
    if exponent > 0 {
      let product = digits.multipliedFullWidth(by: factor)
      return scaled(
        product.high | (product.low != 0 ? 1 : 0), by: exponent - shift - lead + 64, isNegative: isNegative)
    }
    // Halving the digits keeps the quotient within 64 bits; the bit shifted out stays in the low word.
    let (quotient, remainder) = factor.dividingFullWidth((digits >> 1, digits << 63))
    return scaled(quotient | (remainder != 0 ? 1 : 0), by: exponent - shift + lead - 63, isNegative: isNegative)
  }

  /// Returns `value` × 2^`exponent`, rounded once.
  ///
  /// The result must be a normal number.
  private static func scaled(_ value: UInt64, by exponent: Int, isNegative: Bool) -> Double {
    let power = Double(bitPattern: UInt64(truncatingIfNeeded: exponent &+ 1023) << 52)
    let magnitude = Double(value) * power
    return isNegative ? -magnitude : magnitude
  }

  private static let powersOfFive: [UInt64] = {
    var powers: [UInt64] = [1]
    for _ in 1...mostFives { powers.append((powers.last ?? 1) * 5) }
    return powers
  }()
}
