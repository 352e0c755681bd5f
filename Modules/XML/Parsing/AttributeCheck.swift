import Glibc

/// Refuses tags with more attributes than allowed before libxml2 sees them.
///
/// It compares each attribute of an element with each, so that one tag of a megabyte would keep it busy for seconds; a tag
/// that long is rare, so that the search for one costs next to nothing.
enum AttributeCheck {
  /// Tags shorter than this cannot hold many.
  private static let ordinaryLength = 4096

  static func failure(in units: CodeUnits, _ options: XMLParsingOptions) -> ParseFailure? {
    guard units.count > ordinaryLength else { return nil }
    var index = next(UInt8(ascii: "<"), from: 0, units)
    while let start = index {
      let end = next(UInt8(ascii: "<"), from: start + 1, units)
      if (end ?? units.count) - start > ordinaryLength,
        attributes(from: start + 1, to: end ?? units.count, units) > options.maximumAttributes
      {
        return ParseFailure(
          kind: .tooManyAttributes, reason: "an element has more than \(options.maximumAttributes) attributes",
          position: units.position(of: start))
      }
      index = end
    }
    return nil
  }

  private static func next(_ byte: UInt8, from index: Int, _ units: CodeUnits) -> Int? {
    guard index < units.count else { return nil }
    if units.form == .bytes {
      guard let start = units.bytes.baseAddress, let found = memchr(start + index, Int32(byte), units.count - index)
      else {
        return nil
      }
      return UnsafeRawPointer(found) - start
    }
    return (index..<units.count).first { units[$0] == UInt32(byte) }
  }

  /// How many values the tag that begins at an index has; none when it is no start tag.
  private static func attributes(from start: Int, to end: Int, _ units: CodeUnits) -> Int {
    guard let first = units[start], first != 0x21, first != 0x3F, first != 0x2F, first > 0x20 else { return 0 }
    var quote: UInt32?
    var count = 0
    for index in start..<end {
      guard let unit = units[index] else { return count }
      if let open = quote {
        if unit == open { quote = nil }
      } else if unit == 0x22 || unit == 0x27 {
        quote = unit
        count += 1
      } else if unit == 0x3E {
        return count
      }
    }
    return count
  }
}
