/// Percent-encodes bytes that a URI must not contain.
enum URLEscaping {
  /// Returns the bytes as text, with invalid ones percent-encoded.
  ///
  /// Valid escapes stay unchanged.
  ///
  /// - Parameter asHost: Whether brackets are valid, as around an IPv6 address.
  static func escaped(_ bytes: ArraySlice<UInt8>, asHost: Bool = false) -> String {
    if bytes.allSatisfy(mayStand) { return String(decoding: bytes, as: UTF8.self) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 8)
    for place in bytes.indices {
      let byte = bytes[place]
      let isEscape =
        byte == UInt8(ascii: "%") && bytes.endIndex - place > 2
        && isHexDigit(bytes[place + 1]) && isHexDigit(bytes[place + 2])
      if isEscape || mayStand(byte) || asHost && (byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")) {
        result.append(byte)
      } else {
        result += "%".utf8
        result += [hexDigit(byte >> 4), hexDigit(byte & 15)]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 6 }

  private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

  /// Returns whether a byte is valid in a path, query or fragment (RFC 3986 §3.3–5).
  ///
  /// These are unreserved characters, sub-delimiters and a few others.
  private static func mayStand(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"), UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ","),
      UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "/"),
      UInt8(ascii: "?"):
      true
    default: false
    }
  }
}
