/// The character classes of RFC 9651, for both directions.
enum StructuredFieldGrammar {
  static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

  private static func isLower(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
  }

  static func startsKey(_ byte: UInt8) -> Bool { isLower(byte) || byte == UInt8(ascii: "*") }

  static func continuesKey(_ byte: UInt8) -> Bool {
    switch byte {
    case digits, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "*"): true
    default: isLower(byte)
    }
  }

  static func startsToken(_ byte: UInt8) -> Bool { FieldSyntax.isLetter(byte) || byte == UInt8(ascii: "*") }

  static func continuesToken(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ":") || byte == UInt8(ascii: "/") || FieldSyntax.isToken(byte)
  }

  static func base64Value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 71
    case digits: byte + 4
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
