public import HTTPTypes

extension String {
  /// Copies bytes of a valid string whose range ends next to ASCII bytes.
  init(copying bytes: Span<UInt8>, _ range: Range<Int>) {
    let count = range.count
    // Safe because exactly `count` bytes of the capacity are written, and `bytes` checks its index.
    self.init(unsafeUninitializedCapacity: count) { buffer in
      for offset in 0..<count { buffer[offset] = bytes[range.lowerBound &+ offset] }
      return count
    }
  }

  /// Copies bytes and converts A–Z to lower case.
  init(lowercasing bytes: Span<UInt8>, _ range: Range<Int>) {
    let count = range.count
    // Safe because exactly `count` bytes of the capacity are written, and `bytes` checks its index.
    self.init(unsafeUninitializedCapacity: count) { buffer in
      for offset in 0..<count {
        buffer[offset] = FieldSyntax.lowercased(bytes[range.lowerBound &+ offset])
      }
      return count
    }
  }

  /// The text with A–Z in lower case and all other characters unchanged.
  var asciiLowercased: String {
    guard utf8.contains(where: { $0 &- 0x41 < 26 }) else { return self }
    return String(lowercasing: utf8Span.span, 0..<utf8.count)
  }

  /// Returns whether both texts are equal, ignoring the case of A–Z.
  func equalsIgnoringASCIICase(_ other: String) -> Bool {
    utf8.count == other.utf8.count
      && zip(utf8, other.utf8).allSatisfy { FieldSyntax.lowercased($0) == FieldSyntax.lowercased($1) }
  }
}

extension HTTPField {
  /// The value as text, whatever its bytes are.
  ///
  /// Valid UTF-8 is read as such, any other value as ISO-8859-1, which older servers send (RFC 9110 §5.5). No byte is lost or
  /// replaced.
  public var text: String {
    withUnsafeBytesOfValue { bytes in
      // Safe because the buffer is read inside the closure only.
      String(validating: bytes, as: UTF8.self)
        ?? String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
    }
  }
}
