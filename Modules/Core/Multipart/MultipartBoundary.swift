/// Checks a boundary against the grammar of RFC 2046 §5.1.1.
enum MultipartBoundary {
  /// Returns the bytes of a boundary that follows the grammar.
  ///
  /// It has 1 to `limit` characters of `bchars` and does not end with a space.
  static func bytes(of boundary: String, limit: Int) throws(MultipartError) -> [UInt8] {
    let bytes = Array(boundary.utf8)
    guard !bytes.isEmpty, bytes.last != UInt8(ascii: " ") else {
      throw MultipartError(.invalidBoundary, at: max(0, bytes.count - 1))
    }
    guard bytes.count <= limit else { throw MultipartError(.invalidBoundary, at: max(0, limit)) }
    for (position, byte) in bytes.enumerated() where !isBoundaryCharacter(byte) {
      throw MultipartError(.invalidBoundary, at: position)
    }
    return bytes
  }

  private static func isBoundaryCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    case 0x20, 0x27...0x29, 0x2B...0x2F, 0x3A, 0x3D, 0x3F, 0x5F: true
    default: false
    }
  }
}
