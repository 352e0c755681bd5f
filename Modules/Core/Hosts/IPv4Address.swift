/// An IPv4 address in any numeric form that `inet_aton` reads.
///
/// The URL Standard defines them in "IPv4 parser".
struct IPv4Address {
  let value: UInt32

  /// Reads an address; nil if the last label of the name is not a number.
  init?(name: String) throws(HostNameError) {
    var text = name.utf8[...]
    if text.count > 1, text.last == UInt8(ascii: ".") { text.removeLast() }
    let start = text.lastIndex(of: UInt8(ascii: ".")).map { text.index(after: $0) } ?? text.startIndex
    // Every numeric form begins with a digit; few names do.
    guard start < text.endIndex, FieldSyntax.isDigit(text[start]), Self.isNumeric(text[start...]) else { return nil }
    let labels = text.split(separator: UInt8(ascii: "."), maxSplits: 4, omittingEmptySubsequences: false)
    guard labels.count <= 4 else { throw HostNameError(.invalidIPv4Address) }
    var value: UInt64 = 0
    for label in labels.dropLast() {
      guard let number = Self.number(label), number <= 255 else { throw HostNameError(.invalidIPv4Address) }
      value = value << 8 | number
    }
    // The last number fills the remaining octets.
    let octets = UInt64(5 - labels.count)
    guard let last = labels.last, let number = Self.number(last), number < 1 << (8 * octets) else {
      throw HostNameError(.invalidIPv4Address)
    }
    self.value = UInt32(truncatingIfNeeded: value << (8 * octets) | number)
  }

  var text: String {
    "\(value >> 24).\(value >> 16 & 0xFF).\(value >> 8 & 0xFF).\(value & 0xFF)"
  }

  /// Returns whether a label is all digits, or hexadecimal after `0x`.
  private static func isNumeric(_ label: Substring.UTF8View) -> Bool {
    label.allSatisfy(FieldSyntax.isDigit) || number(label) != nil
  }

  /// Reads a decimal, octal (`0`) or hexadecimal (`0x`) number.
  ///
  /// Nil if it is not a number. A number beyond 32 bits stops growing.
  private static func number(_ label: Substring.UTF8View) -> UInt64? {
    guard let first = label.first else { return nil }
    var digits = label[...]
    var radix: UInt64 = 10
    if first == UInt8(ascii: "0"), label.count > 1 {
      digits = digits.dropFirst()
      radix = 8
      if digits.first == UInt8(ascii: "x") {
        digits = digits.dropFirst()
        radix = 16
      }
    }
    var value: UInt64 = 0
    for byte in digits {
      guard let digit = FieldSyntax.hexValue(byte), digit < radix else { return nil }
      value = min(value * radix + UInt64(digit), 1 << 32)
    }
    return value
  }
}
