// The standard library has NFC, but not in its public interface.
@_spi(_Unicode) import Swift

extension String {
  /// The text in NFC, which RFC 7617 §2.1 and RFC 7616 §4 require of names and passwords.
  var normalized: String {
    utf8.allSatisfy { $0 < 0x80 } ? self : String(String.UnicodeScalarView(_nfc))
  }
}
