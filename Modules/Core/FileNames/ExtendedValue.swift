/// The value of a parameter whose name ends in `*` (RFC 8187).
///
/// An example is `UTF-8''%E2%82%AC%20rates`.
enum ExtendedValue {
  /// Decodes a value in UTF-8 or ISO-8859-1.
  ///
  /// The language is ignored, and printable ASCII that should have been escaped is accepted. The result is nil for other
  /// charsets, invalid escapes and empty values.
  static func decode(_ text: String) -> String? {
    let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let charset = Charset(label: String(parts[0])), !parts[2].isEmpty,
      let bytes = percentDecoded(parts[2].utf8)
    else { return nil }
    switch charset {
    case .utf8: return String(validating: bytes, as: UTF8.self)
    case .iso88591: return String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
    default: return nil
    }
  }

  /// Encodes text as UTF-8 without a language.
  static func encode(_ text: String) -> String {
    let hex = Array("0123456789ABCDEF".utf8)
    var bytes = Array("UTF-8''".utf8)
    for byte in text.utf8 {
      if isAttributeByte(byte) {
        bytes.append(byte)
      } else {
        bytes += [0x25, hex[Int(byte >> 4)], hex[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func percentDecoded(_ text: Substring.UTF8View) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text.makeIterator()
    while let byte = rest.next() {
      guard byte >= 0x20, byte < 0x7F else { return nil }
      guard byte == 0x25 else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.next().flatMap(FieldSyntax.hexValue),
        let low = rest.next().flatMap(FieldSyntax.hexValue)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Returns whether a byte is an `attr-char` (RFC 8187 §3.2.1).
  ///
  /// That is a token byte except `*`, `'` and `%`.
  private static func isAttributeByte(_ byte: UInt8) -> Bool {
    FieldSyntax.isToken(byte) && byte != 0x2A && byte != 0x27 && byte != 0x25
  }
}
