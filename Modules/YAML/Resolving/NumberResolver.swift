/// Computes numbers from their syntax.
enum NumberResolver {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  static func value(_ form: NumberForm, _ bytes: Bytes) -> YAMLValue {
    switch form {
    case .integer(let isNegative, let digits):
      let digits = UnsafeBufferPointer(rebasing: bytes[digits])
      guard digits.contains(NumberForm.underscore) else {
        return .int(YAMLInteger(checkedText: NumberText.decimal(digits, isNegative: isNegative)))
      }
      let clean = digits.filter { $0 != NumberForm.underscore }
      return .int(
        YAMLInteger(checkedText: clean.withUnsafeBufferPointer { NumberText.decimal($0, isNegative: isNegative) }))
    case .based(let bits, let isNegative, let digits):
      return .int(YAMLInteger(checkedText: NumberText.decimal(bytes[digits], bits: bits, isNegative: isNegative)))
    case .sexagesimal(let isNegative, let digits, nil):
      return .int(YAMLInteger(checkedText: NumberText.decimal(sexagesimal: bytes[digits], isNegative: isNegative)))
    case .sexagesimal(let isNegative, let digits, let fraction?):
      var text = Array(NumberText.decimal(sexagesimal: bytes[digits], isNegative: false).utf8)
      if isNegative { text.insert(NumberForm.minus, at: 0) }
      text.append(NumberForm.point)
      appendDigits(bytes[fraction], to: &text)
      return .float(YAMLFloat(checkedText: String(decoding: text, as: UTF8.self)))
    case .float(let isNegative, let whole, let fraction, let exponent):
      return .float(float(bytes, isNegative, whole, fraction, exponent))
    case .special(let value): return .float(value)
    }
  }

  /// Returns the float of any number of the schema, integers included.
  static func float(_ bytes: Bytes, schema: YAMLSchema = .core) -> YAMLFloat? {
    guard let form = NumberForm.of(bytes, schema: schema) else { return nil }
    switch value(form, bytes) {
    case .float(let value): return value
    case .int(let value): return YAMLFloat(checkedText: value.text + ".0")
    default: return nil
    }
  }

  /// Writes a float as JSON does.
  ///
  /// It has a digit before and after the point, no plus, and no leading zeros.
  private static func float(
    _ bytes: Bytes, _ isNegative: Bool, _ whole: Range<Int>, _ fraction: Range<Int>, _ exponent: Range<Int>
  ) -> YAMLFloat {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + 3)
    if isNegative { text.append(NumberForm.minus) }
    let start = text.count
    for byte in bytes[whole] where byte != NumberForm.underscore && (byte != NumberForm.zero || text.count > start) {
      text.append(byte)
    }
    if text.count == start { text.append(NumberForm.zero) }
    // A missing point is not added if the exponent already makes it a float.
    if !fraction.isEmpty || exponent.isEmpty {
      text.append(NumberForm.point)
      appendDigits(bytes[fraction], to: &text)
    }
    if !exponent.isEmpty {
      text.append(UInt8(ascii: "e"))
      text.append(contentsOf: bytes[exponent])
    }
    return YAMLFloat(checkedText: String(decoding: text, as: UTF8.self))
  }

  private static func appendDigits(_ digits: Slice<Bytes>, to text: inout [UInt8]) {
    let start = text.count
    for byte in digits where byte != NumberForm.underscore { text.append(byte) }
    if text.count == start { text.append(NumberForm.zero) }
  }
}
