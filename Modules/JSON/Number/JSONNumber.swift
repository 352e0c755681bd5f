public import FoundationEssentials

/// A JSON number that keeps every digit it was written with.
///
/// A number read from text is kept as a decimal: up to 19 digits with their point, sign and exponent fit into the value
/// itself, without rounding or allocation; longer numbers keep their text. Only a conversion rounds, and ``text``
/// returns the original spelling byte for byte (`1.0`, `1E+05` and `-0` stay unchanged).
///
/// Two numbers are equal when they have the same decimal value: `1`, `1.0` and `10e-1` are equal, and so are `0` and
/// `-0`. `0.1` and `0.1000000000000000055` differ, although both round to the same `Double`. Exponents are compared up
/// to ±10¹⁷. Compare ``text`` to distinguish spellings.
public struct JSONNumber: Sendable {
  enum Storage: Sendable {
    case decimal(significand: UInt64, layout: NumberLayout)
    /// A number that is too long for the fixed form, in the grammar of RFC 8259 §6.
    case text(String)
  }

  let storage: Storage

  init(significand: UInt64, layout: NumberLayout) {
    storage = .decimal(significand: significand, layout: layout)
  }

  init(checkedText: String) {
    storage = .text(checkedText)
  }

  /// Creates a number from any integer, exactly.
  public init(_ value: some BinaryInteger) {
    if let magnitude = UInt64(exactly: value.magnitude) {
      self.init(significand: magnitude, layout: NumberLayout(isNegative: value < 0))
    } else {
      self.init(checkedText: String(value))
    }
  }

  /// Creates a number from a `Double`, in its shortest exact spelling.
  ///
  /// The text reads back as the same `Double`. Whole values have no point (`2.0` becomes `2`), as with `JSONEncoder`.
  ///
  /// - Returns: nil for infinities and NaN, which JSON cannot represent.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    self.init(shortest: value.description)
  }

  /// Creates a number from a `Float`, in its shortest exact spelling.
  ///
  /// - Returns: nil for infinities and NaN, which JSON cannot represent.
  public init?(_ value: Float) {
    guard value.isFinite else { return nil }
    self.init(shortest: value.description)
  }

  private init?(shortest text: String) {
    self.init(text: text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }

  /// Creates a number from its text, which is kept.
  ///
  /// - Returns: nil when `text` violates the grammar of RFC 8259 §6, as `01`, `.5`, `1.` and `+1` do.
  public init?(text: String) {
    var text = text
    let scanned = text.withUTF8 { bytes -> JSONNumber? in
      guard let start = bytes.baseAddress else { return nil }
      var cursor = start
      guard let number = try? NumberScanner.scan(&cursor, end: start + bytes.count, limit: bytes.count),
        cursor == start + bytes.count
      else { return nil }
      return number
    }
    guard let scanned else { return nil }
    self = scanned
  }

  /// The number as it was written.
  public var text: String {
    switch storage {
    case .text(let text): text
    case .decimal(let significand, let layout):
      String(unsafeUninitializedCapacity: NumberLayout.longestText) { buffer in
        var count = 0
        layout.spell(significand) { byte in
          guard count < buffer.count else { return }
          buffer[count] = byte
          count += 1
        }
        return count
      }
    }
  }
}

extension JSONNumber: CustomStringConvertible {
  /// The same as ``text``.
  public var description: String { text }
}

extension JSONNumber: ExpressibleByIntegerLiteral {
  /// Creates a number from an integer literal.
  public init(integerLiteral value: Int) { self.init(value) }
}

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

extension JSONNumber: Hashable {
  /// Returns true when both have the same decimal value, however they are written.
  public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    if case .decimal(let leftDigits, let leftLayout) = left.storage,
      case .decimal(let rightDigits, let rightLayout) = right.storage,
      leftLayout == rightLayout
    {
      return leftDigits == rightDigits
    }
    return left.normalForm == right.normalForm
  }

  /// Hashes the decimal value, so that equal numbers have equal hashes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(normalForm)
  }

  var normalForm: NormalDecimal {
    switch storage {
    case .decimal(let significand, let layout):
      NormalDecimal(significand: significand, exponent: layout.exponent, isNegative: layout.isNegative)
    case .text(let text):
      NormalDecimal(text: text)
    }
  }
}

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
