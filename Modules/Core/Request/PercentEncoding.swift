public import FoundationEssentials

/// Percent-encoding (RFC 3986 §2.1).
package enum PercentEncoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Returns a text in which all but unreserved characters (§2.3) and some others are percent-encoded.
  package static func encoded(_ text: String, except others: String = "") -> String {
    var result: [UInt8] = []
    for byte in text.utf8 { append(byte, to: &result, encodes: !isUnreserved(byte) && !others.utf8.contains(byte)) }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns bytes as the text of a path, a query or a fragment, in which those that must not stand there (§3.3–5) are percent-encoded.
  ///
  /// Escapes stay unchanged; a percent sign that begins none is encoded.
  ///
  /// - Parameter asHost: Whether brackets may stand, as around an IPv6 address.
  package static func repaired(_ bytes: ArraySlice<UInt8>, asHost: Bool = false) -> String {
    if bytes.allSatisfy(mayStand) { return String(decoding: bytes, as: UTF8.self) }
    var result: [UInt8] = []
    for place in bytes.indices {
      let byte = bytes[place]
      let isEscape =
        byte == UInt8(ascii: "%") && bytes.endIndex - place > 2
        && FieldSyntax.hexValue(bytes[place + 1]) != nil && FieldSyntax.hexValue(bytes[place + 2]) != nil
      let isBracket = byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
      append(byte, to: &result, encodes: !isEscape && !mayStand(byte) && !(asHost && isBracket))
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func append(_ byte: UInt8, to result: inout [UInt8], encodes: Bool) {
    guard encodes else { return result.append(byte) }
    result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || "-._~".utf8.contains(byte)
  }

  private static func mayStand(_ byte: UInt8) -> Bool { isUnreserved(byte) || "!$&'()*+,;=:@/?".utf8.contains(byte) }
}

extension URL {
  /// Creates a URL as `init(string:)` does, but leaves the escapes of a text as they are; nil if the text is no URL.
  ///
  /// Characters that a URL must not contain, such as `ä` and `|`, are percent-encoded. Where Foundation encodes one, it encodes each
  /// percent sign of the same component, too: `?q=ä&next=%2F` becomes `?q=%C3%A4&next=%252F`, which asks for something else.
  public init?(keepingEscapes text: String) {
    if let url = URL(string: text, encodingInvalidCharacters: false) {
      self = url
      return
    }
    let bytes = Array(text.utf8)
    func end(from place: Int) -> Int { bytes[place...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count }
    let slash = end(from: 0)
    let head = bytes[..<slash]
    let hasHost = bytes[slash...].starts(with: "//".utf8) && (head.isEmpty || Self.isScheme(head))
    guard hasHost || !head.contains(UInt8(ascii: ":")) else {
      // A colon that ends no scheme is Foundation's to encode.
      self.init(string: text)
      return
    }
    let start = hasHost ? end(from: slash + 2) : 0
    let parts = bytes[start...].split(separator: UInt8(ascii: "#"), maxSplits: 1, omittingEmptySubsequences: false)
    let repaired = parts.map { PercentEncoding.repaired($0) }.joined(separator: "#")
    self.init(string: String(decoding: bytes[..<start], as: UTF8.self) + repaired)
  }

  /// Whether a text is a scheme with its colon (RFC 3986 §3.1).
  private static func isScheme(_ head: ArraySlice<UInt8>) -> Bool {
    guard let first = head.first, (first | 0x20) &- 0x61 < 26, head.last == UInt8(ascii: ":") else { return false }
    return head.dropLast().allSatisfy { ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || "+-.".utf8.contains($0) }
  }
}
