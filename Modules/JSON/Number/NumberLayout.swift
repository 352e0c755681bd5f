/// How a significand is written: sign, position of the point, and exponent.
///
/// Together with the significand it reproduces a number's text byte for byte, in four bytes of memory.
struct NumberLayout: Hashable, Sendable {
  enum ExponentSign: UInt32 { case none, plus, minus }

  /// The maximum number of bytes that ``spell(_:_:)`` passes on.
  ///
  /// Sign, 20 digits, point, and an exponent of six characters.
  static let longestText = 32
  static let mostExponentDigits = 4

  private var bits: UInt32

  /// `fractionDigits` is at most 19, because the fixed form has no more digits.
  init(isNegative: Bool, fractionDigits: Int = 0) {
    bits = UInt32(truncatingIfNeeded: fractionDigits) & 31 | (isNegative ? 32 : 0)
  }

  mutating func addExponent(magnitude: Int, digits: Int, sign: ExponentSign, upperCase: Bool) {
    bits |= 64 | (upperCase ? 128 : 0) | sign.rawValue << 8
    bits |= UInt32(truncatingIfNeeded: digits) << 10 | UInt32(truncatingIfNeeded: magnitude) << 13
  }

  var fractionDigits: Int { Int(bits & 31) }
  var isNegative: Bool { bits & 32 != 0 }
  private var hasExponent: Bool { bits & 64 != 0 }
  private var hasUpperCaseExponent: Bool { bits & 128 != 0 }
  private var exponentSign: ExponentSign { ExponentSign(rawValue: bits >> 8 & 3) ?? .none }
  private var exponentDigits: Int { Int(bits >> 10 & 7) }
  private var exponentMagnitude: Int { Int(bits >> 13) }

  /// Whether there is neither a point nor an exponent.
  var isPlainInteger: Bool { bits & (31 | 64) == 0 }

  /// The power of ten by which the significand is multiplied.
  var exponent: Int {
    (exponentSign == .minus ? -exponentMagnitude : exponentMagnitude) - fractionDigits
  }

  /// Passes the text of a number to `put`, byte by byte.
  func spell(_ significand: UInt64, _ put: (UInt8) -> Void) {
    func write(_ value: UInt64, digits: Int) {
      var power: UInt64 = 1
      for _ in 1..<max(digits, 1) { power &*= 10 }
      while power > 0 {
        put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / power % 10))
        power /= 10
      }
    }
    if isNegative { put(UInt8(ascii: "-")) }
    var fractionPower: UInt64 = 1
    for _ in 0..<fractionDigits { fractionPower &*= 10 }
    let whole = significand / fractionPower
    write(whole, digits: whole.decimalDigitCount)
    if fractionDigits > 0 {
      put(UInt8(ascii: "."))
      write(significand % fractionPower, digits: fractionDigits)
    }
    if hasExponent {
      put(hasUpperCaseExponent ? UInt8(ascii: "E") : UInt8(ascii: "e"))
      switch exponentSign {
      case .none: break
      case .plus: put(UInt8(ascii: "+"))
      case .minus: put(UInt8(ascii: "-"))
      }
      write(UInt64(exponentMagnitude), digits: exponentDigits)
    }
  }
}

extension UInt64 {
  /// The number of decimal digits; one for zero.
  var decimalDigitCount: Int {
    var count = 1
    var rest = self
    while rest >= 10 {
      rest /= 10
      count += 1
    }
    return count
  }
}
