// The standard library can normalize text, but does not offer it in its public interface yet. Only this file imports the
// private interface, so only this file changes once there is a public one. `NFCTests` checks the result against the rules of
// the Unicode Character Database.
@_spi(_Unicode) import Swift

extension String {
  /// The text in Unicode's normalization form C (UAX #15).
  package var nfc: String {
    utf8.allSatisfy { $0 < 0x80 } ? self : String(String.UnicodeScalarView(_nfc))
  }

  /// The most combining marks in a row with which a text is quick to compare.
  ///
  /// Texts of all languages have far fewer; Unicode's stream-safe format allows 30 (UAX #15 §13).
  private static let mostMarks = 1_024

  /// Whether it would take Swift very long to compare the text or to hash it.
  ///
  /// Swift compares strings in Unicode's canonical order, for which it sorts combining marks that follow each other. The time grows with
  /// the square of their number: 120 kB of them take a second, and 1 MB takes more than a minute, also for `hasPrefix`, `firstIndex(of:)` and
  /// a search in a dictionary. Text from outside that is to be compared, such as a name, is therefore refused if it has more than 1,024
  /// of them in a row. Comparing the bytes (`utf8`) is always quick.
  @inlinable public var isSlowToCompare: Bool {
    // A mark has two bytes or more.
    utf8.count > 2_048 && hasManyMarks
  }

  /// Whether there are more marks in a row than are quick to compare.
  @usableFromInline var hasManyMarks: Bool {
    guard !utf8Span.isKnownASCII else { return false }
    var inARow = 0
    for scalar in unicodeScalars {
      inARow = Self.isMark(scalar) ? inARow + 1 : 0
      if inARow > Self.mostMarks { return true }
    }
    return false
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // No mark is below the first of these.
    case 0..<0x300: false
    // These are decomposed into two marks, although they are none themselves.
    case 0x0F73, 0x0F75, 0x0F81: true
    default: scalar.properties.canonicalCombiningClass != .notReordered
    }
  }
}
