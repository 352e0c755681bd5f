/// Separates `Set-Cookie` lines that Foundation has joined by commas.
///
/// A comma begins another cookie if a name and an equals sign follow it. Neither follows the comma of an `Expires` date. A
/// value that contains `, name=` cannot be distinguished from two cookies; RFC 6265 §4.1.1 does not allow commas there.
enum JoinedCookies {
  static func split(_ joined: String) -> [String] {
    var cookies: [String] = []
    var rest = joined.utf8[...]
    var begin = rest.startIndex
    while let comma = rest.firstIndex(of: UInt8(ascii: ",")) {
      let behind = rest[rest.index(after: comma)...]
      if beginsCookie(behind) {
        cookies.append(String(joined[begin..<comma]))
        // After the space that joins them.
        begin = behind.index(after: behind.startIndex)
      }
      rest = behind
    }
    cookies.append(String(joined[begin...]))
    return cookies
  }

  /// Returns whether a space, a token and an equals sign follow.
  private static func beginsCookie(_ text: Substring.UTF8View) -> Bool {
    guard text.first == UInt8(ascii: " ") else { return false }
    let name = text.dropFirst().prefix { isTokenByte($0) }
    return !name.isEmpty && name.endIndex < text.endIndex && text[name.endIndex] == UInt8(ascii: "=")
  }

  /// Returns whether a byte may be part of a token (RFC 9110 §5.6.2).
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
