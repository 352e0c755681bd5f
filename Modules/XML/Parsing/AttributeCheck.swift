import Glibc

/// Rejects tags with too many attributes before libxml2 sees them.
///
/// libxml2 compares each attribute of an element with every other, so one tag of a megabyte would keep it busy for
/// seconds. Only unusually long tags are counted, so the check costs very little.
enum AttributeCheck {
  /// Tags shorter than this cannot have too many attributes.
  private static let ordinaryLength = 4096

  /// Returns the failure of a document; nil when no tag has too many attributes.
  ///
  /// - Parameter isShifted: Whether ASCII bytes may represent other characters.
  static func failure(in units: CodeUnits, isShifted: Bool, _ options: XMLParsingOptions) -> ParseFailure? {
    guard !isShifted else {
      return units.withoutShiftedBytes().withUnsafeBytes { bytes in
        failure(in: CodeUnits(bytes, .bytes), isShifted: false, options)
      }
    }
    guard let start = firstTag(in: units, options) else { return nil }
    return ParseFailure(
      kind: .tooManyAttributes, reason: "an element has more than \(options.maximumAttributes) attributes",
      position: units.position(of: start))
  }

  /// Returns whether a tag in an entity's UTF-8 content has too many attributes.
  static func isExceeded(in content: UnsafePointer<UInt8>, _ options: XMLParsingOptions) -> Bool {
    let units = CodeUnits(UnsafeRawBufferPointer(start: content, count: strlen(content)), .bytes)
    return firstTag(in: units, options) != nil
  }

  /// Returns the index of the first tag with too many attributes; nil if no tag has.
  private static func firstTag(in units: CodeUnits, _ options: XMLParsingOptions) -> Int? {
    guard units.count > ordinaryLength else { return nil }
    var index = units.index(of: UInt8(ascii: "<"), from: 0)
    while let start = index {
      // A value cannot contain `<`, so a tag ends before the next one begins.
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

/// Counts the attribute values of a tag, which may arrive in pieces.
struct AttributeCounter {
  private var values = 0
  private var quote: UInt32?
  private var hasEnded = false

  /// Continues counting; returns whether there are more values than allowed.
  ///
  /// - Parameter start: Where the piece begins; the first piece of a tag begins with `<`.
  mutating func count(in units: CodeUnits, from start: Int, to end: Int, upTo limit: Int) -> Bool {
    var index = start
    if values == 0, quote == nil, !hasEnded, units[start] == 0x3C {
      // Only tags that begin with a name have attributes.
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
