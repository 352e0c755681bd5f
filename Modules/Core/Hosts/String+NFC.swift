// The standard library can normalize text, but its public interface does not offer it yet. This is the only file that
// imports it: when a public name exists, only this file changes. `NFCTests` holds it to the Unicode Character Database's rules.
@_spi(_Unicode) import Swift

extension String {
  /// The text in Unicode's normalization form C (UAX #15).
  package var nfc: String {
    utf8.allSatisfy { $0 < 0x80 } ? self : String(String.UnicodeScalarView(_nfc))
  }
}
