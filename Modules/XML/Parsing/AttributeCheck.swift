import Glibc

/// Refuses tags with more attributes than allowed before libxml2 sees them.
///
/// It compares each attribute of an element with each, so that one tag of a megabyte would keep it busy for seconds; a tag
/// that long is rare, so that the search for one costs next to nothing.
enum AttributeCheck {
  /// Tags shorter than this cannot hold many.
  private static let ordinaryLength = 4096

  /// What is wrong with a document; nil when no tag has too many.
  static func failure(in units: CodeUnits, _ options: XMLParsingOptions) -> ParseFailure? {
    guard let start = firstTag(in: units, options) else { return nil }
    return ParseFailure(
      kind: .tooManyAttributes, reason: "an element has more than \(options.maximumAttributes) attributes",
      position: units.position(of: start))
  }

  /// Whether a tag of an entity's content has too many.
  static func isExceeded(in content: UnsafePointer<UInt8>, _ options: XMLParsingOptions) -> Bool {
    let units = CodeUnits(UnsafeRawBufferPointer(start: content, count: strlen(content)), .bytes)
    return firstTag(in: units, options) != nil
  }

  /// Where the first tag that has too many begins.
  private static func firstTag(in units: CodeUnits, _ options: XMLParsingOptions) -> Int? {
    guard units.count > ordinaryLength else { return nil }
    var index = units.index(of: UInt8(ascii: "<"), from: 0)
    while let start = index {
      // Values cannot hold the sign, so that a tag ends before the next one.
      let end = units.index(of: UInt8(ascii: "<"), from: start + 1) ?? units.count
      if end - start > ordinaryLength {
        var counter = AttributeCounter()
        if counter.count(in: units, from: start, to: end, upTo: options.maximumAttributes) { return start }
      }
      index = end < units.count ? end : nil
    }
    return nil
  }
}

/// Counts the values of one tag, which may come in pieces.
struct AttributeCounter {
  private var values = 0
  private var quote: UInt32?
  private var hasEnded = false

  /// Goes on counting, and tells whether there are more values than allowed.
  ///
  /// - Parameter start: Where the piece begins; the first one of a tag begins with `<`.
  mutating func count(in units: CodeUnits, from start: Int, to end: Int, upTo limit: Int) -> Bool {
    var index = start
    if values == 0, quote == nil, !hasEnded, units[start] == 0x3C {
      // Only names begin tags that have attributes.
      let first = units[start + 1] ?? 0x21
      hasEnded = first == 0x21 || first == 0x3F || first == 0x2F || first <= 0x20
      index += 1
    }
    while !hasEnded, index < end, let unit = units[index] {
      if let open = quote {
        if unit == open { quote = nil }
      } else if unit == 0x22 || unit == 0x27 {
        quote = unit
        values += 1
        if values > limit { return true }
      } else {
        hasEnded = unit == 0x3E
      }
      index += 1
    }
    return false
  }
}
