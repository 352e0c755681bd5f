/// Decodes percent-encoded text (RFC 3986 §2.1).
enum PercentText {
  /// Returns the decoded text; an incomplete escape stays as it is.
  static func decoded(_ text: some StringProtocol) -> String {
    let bytes = Array(text.utf8)
    guard bytes.contains(UInt8(ascii: "%")) else { return String(text) }
    var plain: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
        let low = digit(bytes[index + 2])
      {
        plain.append(high << 4 | low)
        index += 3
      } else {
        plain.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: plain, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 0x30
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 0x57
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 0x37
    default: nil
    }
  }
}
