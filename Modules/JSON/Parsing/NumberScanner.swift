/// Reads a number in the grammar of RFC 8259 §6.
enum NumberScanner {
  /// The most digits that always fit into 64 bits.
  private static let mostDigits = 19

  struct Failure: Error {
    let kind: JSONError.Kind
  }

  /// Reads a number; leaves `cursor` after it, or at the error inside it.
  static func scan(
    _ cursor: inout UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, limit: Int
  ) throws(Failure) -> JSONNumber {
    let start = cursor
    let isNegative = cursor < end && cursor.pointee == UInt8(ascii: "-")
    if isNegative { cursor += 1 }
    let firstDigit = cursor
    var significand: UInt64 = 0
    skipDigits(&cursor, end: end, into: &significand)
    var digits = cursor - firstDigit
    guard digits > 0 else { throw Failure(kind: cursor == end ? .unexpectedEnd : .invalidNumber) }
    if firstDigit.pointee == UInt8(ascii: "0"), digits > 1 {
      cursor = firstDigit + 1
      throw Failure(kind: .invalidNumber)
    }
    var fractionDigits = 0
    if cursor < end, cursor.pointee == UInt8(ascii: ".") {
      cursor += 1
      let fraction = cursor
      skipDigits(&cursor, end: end, into: &significand)
      fractionDigits = cursor - fraction
      digits += fractionDigits
      guard fractionDigits > 0 else { throw Failure(kind: cursor == end ? .unexpectedEnd : .invalidNumber) }
    }
    var layout = NumberLayout(isNegative: isNegative, fractionDigits: fractionDigits)
    var fits = digits <= mostDigits
    if cursor < end, cursor.pointee | 0x20 == UInt8(ascii: "e") {
      let exponentFits = try scanExponent(&cursor, end: end, into: &layout)
      fits = fits && exponentFits
    }
    guard cursor - start <= limit else {
      cursor = start
      throw Failure(kind: .numberTooLong)
    }
    if fits { return JSONNumber(significand: significand, layout: layout) }
    let text = UnsafeBufferPointer(start: start, count: cursor - start)
    return JSONNumber(checkedText: String(decoding: text, as: UTF8.self))
  }

  /// Reads digits into `value`, which wraps around if there are too many.
  private static func skipDigits(
    _ cursor: inout UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, into value: inout UInt64
  ) {
    while end - cursor >= 8 {
      let word = WordScan.load(cursor)
      let stops = WordScan.nonDigits(word)
      if stops == 0 {
        value = value &* 100_000_000 &+ WordScan.eightDigits(word)
        cursor += 8
        continue
      }
      let count = stops.trailingZeroBitCount >> 3
      guard count > 0 else { return }
      // Zeros shifted in below become leading digits.
      let digits = word << UInt64(truncatingIfNeeded: 64 &- 8 &* count)
      var power: UInt64 = count & 1 != 0 ? 10 : 1
      power = power &* (count & 2 != 0 ? 100 : 1)
      power = power &* (count & 4 != 0 ? 10_000 : 1)
      value = value &* power &+ WordScan.eightDigits(digits)
      cursor += count
      return
    }
    while cursor < end {
      let digit = cursor.pointee &- UInt8(ascii: "0")
      guard digit < 10 else { return }
      value = value &* 10 &+ UInt64(digit)
      cursor += 1
    }
  }

  /// Reads an exponent into `layout`; returns false if it is too long.
  private static func scanExponent(
    _ cursor: inout UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, into layout: inout NumberLayout
  ) throws(Failure) -> Bool {
    let upperCase = cursor.pointee == UInt8(ascii: "E")
    cursor += 1
    var sign = NumberLayout.ExponentSign.none
    if cursor < end {
      if cursor.pointee == UInt8(ascii: "+") { sign = .plus }
      if cursor.pointee == UInt8(ascii: "-") { sign = .minus }
      if sign != .none { cursor += 1 }
    }
    let first = cursor
    var magnitude: UInt64 = 0
    skipDigits(&cursor, end: end, into: &magnitude)
    let digits = cursor - first
    guard digits > 0 else { throw Failure(kind: cursor == end ? .unexpectedEnd : .invalidNumber) }
    guard digits <= NumberLayout.mostExponentDigits else { return false }
    layout.addExponent(
      magnitude: Int(truncatingIfNeeded: magnitude), digits: digits, sign: sign, upperCase: upperCase)
    return true
  }
}
