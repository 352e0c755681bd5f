/// Converts numbers of other bases to decimal digits, whatever their size.
enum NumberText {
  /// Returns the digits without leading zeros; zero has no sign.
  static func decimal(_ digits: UnsafeBufferPointer<UInt8>, isNegative: Bool) -> String {
    guard let start = digits.firstIndex(where: { $0 != UInt8(ascii: "0") }) else { return "0" }
    let rest = digits[start...]
    // Safe because sign and digits are ASCII, and the buffer has room for exactly this many.
    return String(unsafeUninitializedCapacity: rest.count + (isNegative ? 1 : 0)) { target in
      var count = 0
      if isNegative {
        target[count] = UInt8(ascii: "-")
        count += 1
      }
      for digit in rest {
        target[count] = digit
        count += 1
      }
      return count
    }
  }

  /// Converts digits of a base that is a power of two; underscores are skipped.
  static func decimal(_ digits: some Sequence<UInt8>, bits: UInt32, isNegative: Bool) -> String {
    var number = LargeNumber()
    var pending: UInt64 = 0
    var pendingBits: UInt32 = 0
    for byte in digits where byte != UInt8(ascii: "_") {
      pending = pending << UInt64(bits) | UInt64(value(of: byte))
      pendingBits += bits
      if pendingBits > 24 {
        number.multiply(by: 1 << UInt64(pendingBits), adding: pending)
        (pending, pendingBits) = (0, 0)
      }
    }
    number.multiply(by: 1 << UInt64(pendingBits), adding: pending)
    return number.text(isNegative: isNegative)
  }

  /// Converts digits of base 60, separated by colons; underscores are skipped.
  static func decimal(sexagesimal digits: some Sequence<UInt8>, isNegative: Bool) -> String {
    var number = LargeNumber()
    var place: UInt64 = 0
    var isFirst = true
    for byte in digits where byte != UInt8(ascii: "_") {
      if byte == UInt8(ascii: ":") {
        if !isFirst { number.multiply(by: 60, adding: place) }
        isFirst = false
        place = 0
      } else if isFirst {
        number.multiply(by: 10, adding: UInt64(byte &- UInt8(ascii: "0")))
      } else {
        place = place * 10 + UInt64(byte &- UInt8(ascii: "0"))
      }
    }
    if !isFirst { number.multiply(by: 60, adding: place) }
    return number.text(isNegative: isNegative)
  }

  private static func value(of digit: UInt8) -> UInt8 {
    digit.isDigit ? digit &- UInt8(ascii: "0") : (digit | 0x20) &- UInt8(ascii: "a") &+ 10
  }
}

/// A natural number of any size in base 10⁹, least significant digit first.
private struct LargeNumber {
  private var places: [UInt64] = []

  /// Multiplies the number by `factor`, then adds `addend`.
  ///
  /// `factor` is at most 2³² and `addend` is below it, which keeps all products within 64 bits.
  mutating func multiply(by factor: UInt64, adding addend: UInt64) {
    var carry = addend
    for place in places.indices {
      let sum = places[place] &* factor &+ carry
      places[place] = sum % 1_000_000_000
      carry = sum / 1_000_000_000
    }
    while carry > 0 {
      places.append(carry % 1_000_000_000)
      carry /= 1_000_000_000
    }
  }

  func text(isNegative: Bool) -> String {
    guard let most = places.last else { return "0" }
    var text = (isNegative ? "-" : "") + String(most)
    for place in places.dropLast().reversed() {
      let digits = String(place)
      text += String(repeating: "0", count: 9 - digits.utf8.count) + digits
    }
    return text
  }
}
