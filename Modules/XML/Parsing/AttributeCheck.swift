import Glibc

/// Rejects tags with too many attributes, and attribute types with too many values, before libxml2 sees them.
///
/// libxml2 compares each attribute of an element, and each value of an enumerated type, with every other, so one tag or
/// declaration of a megabyte would keep it busy for seconds. Only unusually long ones are counted, so the check costs
/// very little.
enum AttributeCheck {
  /// What a document has too many of.
  enum Excess {
    case attributes
    case values
    case allValues
    case elements

    func failure(_ options: XMLParsingOptions, at position: SourcePosition) -> ParseFailure {
      let reason =
        switch self {
        case .attributes: "an element has more than \(options.maximumAttributes) attributes"
        case .values: "an enumerated attribute type has more than \(options.maximumAttributes) values"
        case .allValues:
          "the enumerated attribute types have more than \(fullTypes) times \(options.maximumAttributes) values together"
        case .elements: "attributes are declared for more than \(options.maximumAttributes) elements"
        }
      return ParseFailure(kind: .tooManyAttributes, reason: reason, position: position)
    }
  }

  /// How many enumerated types may have as many values as are allowed.
  ///
  /// Each of them costs libxml2 as much time as many kilobytes of other text.
  static let fullTypes = 8

  /// Tags and declarations shorter than this cannot have too many.
  private static let ordinaryLength = 4096

  /// Returns the failure of a document; nil when nothing in it has too many.
  ///
  /// - Parameter encoding: The encoding of the document.
  static func failure(
    in units: CodeUnits, _ encoding: SourceEncoding, _ options: XMLParsingOptions
  ) -> ParseFailure? {
    guard units.count > ordinaryLength else { return nil }
    return encoding.withMarkup(of: units) { failure(in: $0, options) }
  }

  private static func failure(in units: CodeUnits, _ options: XMLParsingOptions) -> ParseFailure? {
    guard let (start, excess) = firstExcess(in: units, options) else { return nil }
    return excess.failure(options, at: units.position(of: start))
  }

  /// Returns what a tag or a declaration in an entity's UTF-8 content has too many of; nil if nothing has.
  static func excess(in content: UnsafePointer<UInt8>, _ options: XMLParsingOptions) -> Excess? {
    let units = CodeUnits(UnsafeRawBufferPointer(start: content, count: strlen(content)), .bytes)
    return firstExcess(in: units, options)?.excess
  }

  /// Returns the number of values that the content of a parameter entity can add to an enumerated type.
  ///
  /// Zero if it has a `<`, because then it cannot be a part of a declaration.
  static func values(in content: UnsafePointer<UInt8>) -> Int {
    let bytes = UnsafeBufferPointer(start: content, count: strlen(content))
    return bytes.contains(UInt8(ascii: "<")) ? 0 : bytes.count { $0 == UInt8(ascii: "|") }
  }

  /// Returns the index of the first tag or declaration with too many.
  private static func firstExcess(
    in units: CodeUnits, _ options: XMLParsingOptions
  ) -> (start: Int, excess: Excess)? {
    guard units.count > ordinaryLength else { return nil }
    var index = units.index(of: UInt8(ascii: "<"), from: 0)
    while let start = index {
      // A value cannot contain `<`, so a tag or a declaration of attributes ends before the next one begins.
      let end = units.index(of: UInt8(ascii: "<"), from: start + 1) ?? units.count
      if end - start > ordinaryLength {
        var counter = AttributeCounter()
        if counter.count(in: units, from: start, to: end, upTo: options.maximumAttributes) {
          return (start, .attributes)
        }
        if hasTooManyValues(in: units, from: start, to: end, options) { return (start, .values) }
      }
      index = end < units.count ? end : nil
    }
    return nil
  }

  /// Returns whether a declaration of attributes has an enumerated type with too many values.
  private static func hasTooManyValues(
    in units: CodeUnits, from start: Int, to end: Int, _ options: XMLParsingOptions
  ) -> Bool {
    for (offset, character) in "<!ATTLIST".utf8.enumerated() where units[start + offset] != UInt32(character) {
      return false
    }
    var quote: UInt32?
    var bars = 0
    for index in start..<end {
      guard let unit = units[index] else { return false }
      if let open = quote {
        if unit == open { quote = nil }
      } else if unit == UInt32(UInt8(ascii: "\"")) || unit == UInt32(UInt8(ascii: "'")) {
        quote = unit
      } else if unit == UInt32(UInt8(ascii: "(")) {
        bars = 0
      } else if unit == UInt32(UInt8(ascii: "|")) {
        bars += 1
        if bars >= max(options.maximumAttributes, 1) { return true }
      }
    }
    return false
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
