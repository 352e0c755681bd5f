public import FoundationEssentials

extension PropertyList {
  /// Returns whether a document begins like a property list.
  ///
  /// A binary list begins with `bplist`. In an XML list the DOCTYPE or, without one, the root element is named `plist`;
  /// a declaration, comments and processing instructions may precede it. A `plist` element deeper in the document does
  /// not count.
  ///
  /// - Parameter prefix: The first bytes, a few hundred or more. If they end before that name, the result is false.
  public static func isRecognized(_ prefix: Data) -> Bool {
    if prefix.starts(with: "bplist".utf8) { return true }
    var rest = asciiBytes(prefix)[...]
    while true {
      rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
      if rest.starts(with: "<?".utf8) {
        guard skip(past: "?>", &rest) else { return false }
      } else if rest.starts(with: "<!--".utf8) {
        guard skip(past: "-->", &rest) else { return false }
      } else {
        return begins(rest, "<plist") || begins(rest, "<!DOCTYPE plist")
      }
    }
  }

  /// Returns a text's bytes as ASCII, without a byte order mark.
  ///
  /// UTF-16 loses its zero bytes.
  private static func asciiBytes(_ prefix: Data) -> [UInt8] {
    let bytes = [UInt8](prefix)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
    let isWide = [[0xFF, 0xFE], [0xFE, 0xFF], [0x3C, 0], [0, 0x3C]].contains { bytes.starts(with: $0) }
    return isWide ? bytes.filter { ![0, 0xFE, 0xFF].contains($0) } : bytes
  }

  private static func skip(past end: String, _ rest: inout ArraySlice<UInt8>) -> Bool {
    while !rest.isEmpty {
      if rest.starts(with: end.utf8) {
        rest = rest.dropFirst(end.utf8.count)
        return true
      }
      rest = rest.dropFirst()
    }
    return false
  }

  /// Returns whether the text begins with a tag of exactly this name.
  private static func begins(_ rest: ArraySlice<UInt8>, _ tag: String) -> Bool {
    guard rest.starts(with: tag.utf8) else { return false }
    let next = rest.dropFirst(tag.utf8.count).first
    return next.map { [0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ">"), UInt8(ascii: "/")].contains($0) } ?? false
  }
}
