/// A preference between 0 and 1 in steps of a thousandth (RFC 9110 §12.4.2).
package struct QualityValue: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The preference in thousandths, 0 to 1000.
  package let thousandths: Int

  /// The highest preference, which is also the default.
  package static let most = QualityValue(thousandths: 1000)
  /// The lowest preference, which means not acceptable.
  package static let unacceptable = QualityValue(thousandths: 0)

  /// Creates a preference, limited to the range 0…1000.
  package init(thousandths: Int) {
    self.thousandths = min(max(thousandths, 0), 1000)
  }

  /// Reads text such as `0.8`; nil unless it is 0 to 1 with at most three decimals.
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8.prefix(6))
    guard let whole = bytes.first, whole == 0x30 || whole == 0x31, bytes.count <= 5 else { return nil }
    var value = whole == 0x31 ? 1000 : 0
    var step = 100
    for (offset, byte) in bytes.dropFirst().enumerated() {
      if offset == 0 {
        guard byte == 0x2E else { return nil }
        continue
      }
      guard FieldSyntax.isDigit(byte) else { return nil }
      value += Int(byte &- 0x30) * step
      step /= 10
    }
    guard value <= 1000 else { return nil }
    thousandths = value
  }

  /// The shortest text: `1`, `0.8`, `0.125`.
  package var description: String {
    guard thousandths < 1000 else { return "1" }
    guard thousandths > 0 else { return "0" }
    var digits = String(thousandths)
    digits = String(repeating: "0", count: 3 - digits.count) + digits
    while digits.hasSuffix("0") { digits.removeLast() }
    return "0." + digits
  }

  /// Returns whether the left preference is lower.
  package static func < (left: QualityValue, right: QualityValue) -> Bool {
    left.thousandths < right.thousandths
  }
}
