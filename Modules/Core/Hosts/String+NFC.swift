// The standard library can normalize text, but does not offer it in its public interface yet. Only this file imports the
// private interface, so only this file changes once there is a public one. `NFCTests` checks the result against the rules of
// the Unicode Character Database.
@_spi(_Unicode) import Swift

extension String {
  /// The text in Unicode's normalization form C (UAX #15).
  package var nfc: String {
    utf8.allSatisfy { $0 < 0x80 } ? self : String(String.UnicodeScalarView(_nfc))
  }
}
