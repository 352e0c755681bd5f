/// The escapes of a URL in the one form that both sides sign.
enum PercentEncoding {
  /// Returns bytes as text in which only letters, digits, `-`, `.`, `_` and `~` are not escaped.
  ///
  /// - Parameter keepsSlash: Whether slashes are not escaped either.
  static func encoded(_ bytes: some Sequence<UInt8>, keepsSlash: Bool = false) -> String {
    var text: [UInt8] = []
    for byte in bytes {
      if isUnreserved(byte) || keepsSlash && byte == UInt8(ascii: "/") {
        text.append(byte)
      } else {
        text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes that a text stands for.
  ///
  /// A plus is a plus (RFC 3986), and a percent sign without two hexadecimal digits is one.
  static func decoded(_ text: Substring.UTF8View) -> [UInt8] {
    let escaped = Array(text)
    var bytes: [UInt8] = []
    var index = 0
    while index < escaped.count {
      if escaped[index] == UInt8(ascii: "%"), index + 2 < escaped.count, let high = value(of: escaped[index + 1]),
        let low = value(of: escaped[index + 2])
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(escaped[index])
        index += 1
      }
    }
    return bytes
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
