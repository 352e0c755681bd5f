/// Encodes Unicode as letters, digits and hyphens (RFC 3492).
///
/// The prefix `xn--` is not included.
enum Punycode {
  private static let base: UInt32 = 36
  private static let hyphen = UInt8(ascii: "-")

  /// Encodes scalars; nil if a number exceeds 32 bits.
  static func encode(_ scalars: [Unicode.Scalar]) -> [UInt8]? {
    let basic = scalars.filter(\.isASCII).map { UInt8(truncatingIfNeeded: $0.value) }
    var output = basic
    if !basic.isEmpty { output.append(hyphen) }
    var handled = UInt32(basic.count)
    var next: UInt32 = 128
    var delta: UInt32 = 0
    var bias: UInt32 = 72
    while handled < scalars.count {
      guard let smallest = scalars.lazy.map(\.value).filter({ $0 >= next }).min() else { return nil }
      let (step, overflow) = (smallest - next).multipliedReportingOverflow(by: handled + 1)
      let (sum, carry) = delta.addingReportingOverflow(step)
      guard !overflow, !carry else { return nil }
      delta = sum
      next = smallest
      for scalar in scalars {
        if scalar.value < next {
          delta &+= 1
          guard delta != 0 else { return nil }
        }
        guard scalar.value == next else { continue }
        appendNumber(delta, bias: bias, to: &output)
        bias = adapt(delta, count: handled + 1, isFirst: handled == basic.count)
        delta = 0
        handled += 1
      }
      delta &+= 1
      next += 1
    }
    return output
  }

  /// Decodes a text; nil if it is not Punycode of Unicode scalars.
  static func decode(_ text: some Collection<UInt8>) -> [Unicode.Scalar]? {
    let bytes = Array(text)
    let end = bytes.lastIndex(of: hyphen)
    guard bytes[..<(end ?? 0)].allSatisfy({ $0 < 0x80 }) else { return nil }
    var output = bytes[..<(end ?? 0)].map { Unicode.Scalar($0) }
    var next: UInt32 = 128
    var place: UInt32 = 0
    var bias: UInt32 = 72
    var index = end.map { $0 + 1 } ?? 0
    while index < bytes.count {
      guard let delta = readNumber(bytes, at: &index, bias: bias) else { return nil }
      let (sum, overflow) = place.addingReportingOverflow(delta)
      guard !overflow else { return nil }
      let count = UInt32(output.count) + 1
      bias = adapt(delta, count: count, isFirst: place == 0 && next == 128 && output.count == (end ?? 0))
      let (code, carry) = next.addingReportingOverflow(sum / count)
      guard !carry, let scalar = Unicode.Scalar(code) else { return nil }
      next = code
      place = sum % count
      output.insert(scalar, at: Int(place))
      place += 1
    }
    return output
  }

  private static func appendNumber(_ number: UInt32, bias: UInt32, to output: inout [UInt8]) {
    var rest = number
    var position = base
    while true {
      let threshold = threshold(at: position, bias: bias)
      guard rest >= threshold else { break }
      output.append(digit(threshold + (rest - threshold) % (base - threshold)))
      rest = (rest - threshold) / (base - threshold)
      position += base
    }
    output.append(digit(rest))
  }

  private static func readNumber(_ bytes: [UInt8], at index: inout Int, bias: UInt32) -> UInt32? {
    var number: UInt32 = 0
    var weight: UInt32 = 1
    var position = base
    while index < bytes.count, let digit = value(bytes[index]) {
      index += 1
      let (part, overflow) = digit.multipliedReportingOverflow(by: weight)
      let (sum, carry) = number.addingReportingOverflow(part)
      guard !overflow, !carry else { return nil }
      number = sum
      let threshold = threshold(at: position, bias: bias)
      if digit < threshold { return number }
      let (heavier, tooHeavy) = weight.multipliedReportingOverflow(by: base - threshold)
      guard !tooHeavy else { return nil }
      weight = heavier
      position += base
    }
    return nil
  }

  private static func threshold(at position: UInt32, bias: UInt32) -> UInt32 {
    position <= bias ? 1 : min(26, position - bias)
  }

  private static func adapt(_ number: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
    var delta = number / (isFirst ? 700 : 2)
    delta += delta / count
    var position: UInt32 = 0
    while delta > 455 {
      delta /= 35
      position += base
    }
    return position + 36 * delta / (delta + 38)
  }

  private static func digit(_ value: UInt32) -> UInt8 {
    UInt8(truncatingIfNeeded: value < 26 ? value + 97 : value + 22)
  }

  private static func value(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte) - 97
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) - 22
    default: nil
    }
  }
}
