/// Keeps U+0085, U+2028 and U+2029 as they are.
///
/// They end lines in YAML 1.1 and are characters like others in YAML 1.2 (§5.4), while libyaml knows the former alone. So
/// noncharacters that the text does not have stand in for them while it is parsed.
struct LineBreakShield {
  private static let breaks: [[UInt8]] = ["\u{85}", "\u{2028}", "\u{2029}"].map { Array($0.utf8) }
  private static let standIns: [[UInt8]] = ["\u{FFFFE}", "\u{10FFFE}", "\u{10FFFF}"].map { Array($0.utf8) }

  /// The text with the stand-ins; nil when it needs none, or has them itself.
  static func shielding(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard breaks.contains(where: { bytes.firstPlace(of: $0) != nil }),
      !standIns.contains(where: { bytes.firstPlace(of: $0) != nil })
    else { return nil }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + bytes.count / 8)
    replace(breaks, by: standIns, in: bytes, to: &text)
    return text
  }

  /// A scalar with what stood there.
  static func restoring(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    replace(standIns, by: breaks, in: bytes, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  private static func replace(
    _ old: [[UInt8]], by new: [[UInt8]], in bytes: UnsafeBufferPointer<UInt8>, to text: inout [UInt8]
  ) {
    var place = 0
    while place < bytes.count {
      // All of them start with one of these bytes.
      if [0xC2, 0xE2, 0xF3, 0xF4].contains(bytes[place]),
        let found = old.firstIndex(where: { bytes[place...].starts(with: $0) })
      {
        text.append(contentsOf: new[found])
        place += old[found].count
      } else {
        text.append(bytes[place])
        place += 1
      }
    }
  }
}
