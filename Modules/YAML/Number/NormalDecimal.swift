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
