/// A decimal in normal form, without leading and trailing zeros.
///
/// Zero has no sign and no exponent.
///
/// Equal numbers have the same normal form, however they are written.
enum NormalDecimal: Hashable {
  case short(isNegative: Bool, significand: UInt64, exponent: Int)
  /// More digits than fit into 64 bits, as ASCII.
  case long(isNegative: Bool, digits: [UInt8], exponent: Int)

  static let zero = NormalDecimal.short(isNegative: false, significand: 0, exponent: 0)

  /// The largest magnitude of an exponent.
  ///
  /// Larger ones are reduced to it, so that arithmetic on them cannot overflow.
  static let exponentLimit = 100_000_000_000_000_000

  init(significand: UInt64, exponent: Int, isNegative: Bool) {
    guard significand != 0 else {
      self = .zero
      return
    }
    var significand = significand
    var exponent = exponent
    while true {
      let (quotient, remainder) = significand.quotientAndRemainder(dividingBy: 10)
      guard remainder == 0 else { break }
      significand = quotient
      exponent += 1
    }
    self = .short(isNegative: isNegative, significand: significand, exponent: exponent)
  }

  /// Reads a text in the grammar of RFC 8259 §6.
  init(text: String) {
    var digits: [UInt8] = []
    var isNegative = false
    var pointShift = 0
    var sawPoint = false
    var rest = text.utf8[...]
    if rest.first == UInt8(ascii: "-") {
      isNegative = true
      rest = rest.dropFirst()
    }
    while let byte = rest.first, byte | 0x20 != UInt8(ascii: "e") {
      if byte == UInt8(ascii: ".") {
        sawPoint = true
      } else {
        if sawPoint { pointShift += 1 }
        if !digits.isEmpty || byte != UInt8(ascii: "0") { digits.append(byte) }
      }
      rest = rest.dropFirst()
    }
    guard !digits.isEmpty else {
      self = .zero
      return
    }
    var exponent = Self.exponent(rest.dropFirst()) - pointShift
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
    if let significand = Self.significand(digits) {
      self = .short(isNegative: isNegative, significand: significand, exponent: exponent)
    } else {
      self = .long(isNegative: isNegative, digits: digits, exponent: exponent)
    }
  }

  private static func significand(_ digits: [UInt8]) -> UInt64? {
    guard digits.count <= 20 else { return nil }
    var result: UInt64 = 0
    for digit in digits {
      let (product, overflow) = result.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit &- UInt8(ascii: "0")))
      guard !overflow, !carry else { return nil }
      result = sum
    }
    return result
  }

  private static func exponent(_ text: Substring.UTF8View) -> Int {
    var magnitude = 0
    for byte in text where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") {
      magnitude = min(magnitude * 10 + Int(byte - UInt8(ascii: "0")), exponentLimit)
    }
    return text.first == UInt8(ascii: "-") ? -magnitude : magnitude
  }
}
