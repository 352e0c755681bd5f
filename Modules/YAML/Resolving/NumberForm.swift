/// The syntax of a number in a plain scalar, before its value is computed.
enum NumberForm {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  /// Decimal digits; YAML 1.1 also allows underscores.
  case integer(isNegative: Bool, digits: Range<Int>)
  /// Digits of a base that is a power of two.
  case based(bits: UInt32, isNegative: Bool, digits: Range<Int>)
  /// Base 60 with colons (YAML 1.1 only); an integer has no fraction.
  case sexagesimal(isNegative: Bool, digits: Range<Int>, fraction: Range<Int>?)
  /// Whole part, fraction and exponent without its letter; each may be empty.
  case float(isNegative: Bool, whole: Range<Int>, fraction: Range<Int>, exponent: Range<Int>)
  case special(YAMLFloat)

  /// Returns the form of a number under a schema; nil if it is not a number.
  ///
  /// See YAML 1.2 §10.2 and §10.3, and YAML 1.1's type repository.
  static func of(_ bytes: Bytes, schema: YAMLSchema) -> NumberForm? {
    guard let first = bytes.first, first.isDigit || first == plus || first == minus || first == point else {
      return nil
    }
    return switch schema {
    case .failsafe: nil
    case .json: json(bytes)
    case .core: core(bytes)
    case .yaml11: yaml11(bytes)
    }
  }

  /// Reads a number of the JSON schema.
  ///
  /// It is `-?(0|[1-9][0-9]*)(\.[0-9]*)?([eE][-+]?[0-9]+)?`.
  private static func json(_ bytes: Bytes) -> NumberForm? {
    guard let form = core(bytes) else { return nil }
    let start = bytes[0] == minus ? 1 : 0
    guard start < bytes.count, bytes[start].isDigit else { return nil }
    if bytes[start] == zero, start + 1 < bytes.count, bytes[start + 1].isDigit { return nil }
    if case .based = form { return nil }
    return form
  }

  /// Reads a number of the core schema.
  ///
  /// It is `[-+]?[0-9]+`, `0o[0-7]+`, `0x[0-9a-fA-F]+`, a float, an infinity or NaN.
  private static func core(_ bytes: Bytes) -> NumberForm? {
    if bytes.count > 2, bytes[0] == zero, bytes[1] | 0x20 > UInt8(ascii: "9") {
      if bytes[1] == UInt8(ascii: "o"), bytes[2...].allSatisfy({ $0.isDigit && $0 < UInt8(ascii: "8") }) {
        return .based(bits: 3, isNegative: false, digits: 2..<bytes.count)
      }
      if bytes[1] == UInt8(ascii: "x"), bytes[2...].allSatisfy(\.isHexDigit) {
        return .based(bits: 4, isNegative: false, digits: 2..<bytes.count)
      }
    }
    var scan = Scan(bytes)
    let isNegative = scan.sign()
    let whole = scan.digits()
    if scan.isAtEnd { return whole.isEmpty ? nil : .integer(isNegative: isNegative, digits: whole) }
    var fraction = whole.upperBound..<whole.upperBound
    if scan.take(point) {
      if whole.isEmpty, let special = special(scan.rest, isNegative: isNegative, isSigned: whole.lowerBound > 0) {
        return .special(special)
      }
      fraction = scan.digits()
    }
    guard !whole.isEmpty || !fraction.isEmpty else { return nil }
    var exponent = fraction.upperBound..<fraction.upperBound
    if scan.take(UInt8(ascii: "e")) || scan.take(UInt8(ascii: "E")) {
      exponent = scan.exponent()
      guard !exponent.isEmpty else { return nil }
    }
    guard scan.isAtEnd else { return nil }
    return .float(isNegative: isNegative, whole: whole, fraction: fraction, exponent: exponent)
  }

  /// Reads a number of YAML 1.1.
  ///
  /// It can be binary, octal with a leading zero, or in base 60, and have underscores. An exponent requires a point and a
  /// sign.
  private static func yaml11(_ bytes: Bytes) -> NumberForm? {
    var scan = Scan(bytes)
    let isNegative = scan.sign()
    let start = scan.place
    if scan.isAtEnd { return nil }
    if scan.take(zero), !scan.isAtEnd {
      let base: (bits: UInt32, accepts: (UInt8) -> Bool, skip: Int)
      switch scan.rest[scan.rest.startIndex] {
      case UInt8(ascii: "b"): base = (1, { $0 == zero || $0 == UInt8(ascii: "1") }, 1)
      case UInt8(ascii: "x"): base = (4, \.isHexDigit, 1)
      default: base = (3, { $0.isDigit && $0 < UInt8(ascii: "8") }, 0)
      }
      let digits = scan.rest.dropFirst(base.skip)
      if digits.contains(where: base.accepts), digits.allSatisfy({ base.accepts($0) || $0 == underscore }) {
        return .based(bits: base.bits, isNegative: isNegative, digits: digits.startIndex..<digits.endIndex)
      }
    }
    scan.place = start
    let startsWithDigit = scan.rest.first?.isDigit ?? false
    let whole = startsWithDigit ? scan.digits(underscores: true) : start..<start
    if scan.isAtEnd {
      // A leading zero before digits that are not octal makes it a string.
      return bytes[start] == zero && whole.count > 1 ? nil : .integer(isNegative: isNegative, digits: whole)
    }
    if scan.peek == UInt8(ascii: ":"), startsWithDigit {
      return sexagesimal(bytes, &scan, start: start, isNegative: isNegative)
    }
    guard scan.take(point) else { return nil }
    if whole.isEmpty, let special = special(scan.rest, isNegative: isNegative, isSigned: start > 0) {
      return .special(special)
    }
    if whole.isEmpty, !(scan.peek?.isDigit ?? false) { return nil }
    let fraction = scan.digits(underscores: true)
    var exponent = fraction.upperBound..<fraction.upperBound
    if scan.take(UInt8(ascii: "e")) || scan.take(UInt8(ascii: "E")) {
      guard scan.peek == plus || scan.peek == minus else { return nil }
      exponent = scan.exponent()
      guard !exponent.isEmpty else { return nil }
    }
    guard scan.isAtEnd else { return nil }
    return .float(isNegative: isNegative, whole: whole, fraction: fraction, exponent: exponent)
  }

  /// Reads a number in base 60: `[0-9][0-9_]*(:[0-5]?[0-9])+`.
  ///
  /// For a float, `\.[0-9_]*` follows. An integer does not start with zero.
  private static func sexagesimal(
    _ bytes: Bytes, _ scan: inout Scan, start: Int, isNegative: Bool
  ) -> NumberForm? {
    while scan.take(UInt8(ascii: ":")) {
      let place = scan.digits()
      guard place.count == 1 || place.count == 2 && bytes[place.lowerBound] < UInt8(ascii: "6") else { return nil }
    }
    let digits = start..<scan.place
    if scan.isAtEnd {
      return bytes[start] == zero ? nil : .sexagesimal(isNegative: isNegative, digits: digits, fraction: nil)
    }
    guard scan.take(point) else { return nil }
    let fraction = scan.digits(underscores: true)
    return scan.isAtEnd ? .sexagesimal(isNegative: isNegative, digits: digits, fraction: fraction) : nil
  }

  /// Returns the float for the text after the point of `.inf` and `.nan`.
  private static func special(_ rest: Slice<Bytes>, isNegative: Bool, isSigned: Bool) -> YAMLFloat? {
    if ["inf", "Inf", "INF"].contains(where: { rest.elementsEqual($0.utf8) }) {
      return isNegative ? .negativeInfinity : .infinity
    }
    return !isSigned && ["nan", "NaN", "NAN"].contains(where: { rest.elementsEqual($0.utf8) }) ? .nan : nil
  }

  static let plus = UInt8(ascii: "+")
  static let minus = UInt8(ascii: "-")
  static let point = UInt8(ascii: ".")
  static let zero = UInt8(ascii: "0")
  static let underscore = UInt8(ascii: "_")

  /// A position that moves over the characters of a number.
  private struct Scan {
    let bytes: Bytes
    var place = 0

    init(_ bytes: Bytes) { self.bytes = bytes }

    var isAtEnd: Bool { place >= bytes.count }
    var peek: UInt8? { isAtEnd ? nil : bytes[place] }
    var rest: Slice<Bytes> { bytes[place...] }

    mutating func take(_ byte: UInt8) -> Bool {
      guard peek == byte else { return false }
      place += 1
      return true
    }

    /// Skips a sign and returns true for a minus.
    mutating func sign() -> Bool {
      if take(minus) { return true }
      _ = take(plus)
      return false
    }

    mutating func digits(underscores: Bool = false) -> Range<Int> {
      let start = place
      while let byte = peek, byte.isDigit || underscores && byte == underscore { place += 1 }
      return start..<place
    }

    /// Skips sign and digits; the range is empty when there is no digit.
    mutating func exponent() -> Range<Int> {
      let start = place
      if peek == plus || peek == minus { place += 1 }
      return digits().isEmpty ? start..<start : start..<place
    }
  }
}

extension UInt8 {
  var isHexDigit: Bool { isDigit || (self | 0x20) &- UInt8(ascii: "a") < 6 }
}
