import FoundationEssentials

/// Holds back a comment outside the outermost element until it is complete.
///
/// If libxml2 2.9 receives such a comment in pieces, it takes `<!-->` and `<!--->` for complete comments, although they
/// only begin one.
struct OuterComments {
  private let form: CodeUnits.Form
  /// The maximum size of a comment in bytes.
  private let limit: Int
  private var kept = Data()
  /// How many units of the held comment were searched for its end.
  private var searched = 0
  private var isFirst = true
  /// Whether a comment is longer than allowed.
  private(set) var isTooLong = false

  init(_ form: CodeUnits.Form, limit: Int) {
    self.form = form
    self.limit = limit
  }

  mutating func append(_ bytes: Data) {
    if kept.isEmpty { kept = bytes } else { kept.append(bytes) }
  }

  /// Removes and returns the next bytes to parse; nil until more bytes arrive.
  ///
  /// - Parameter isOutside: Whether the parser has parsed all its input, is outside the outermost element, and is not
  ///   inside a comment, instruction or tag.
  mutating func next(isOutside: Bool) -> Data? {
    guard !isTooLong else { return nil }
    let whole = kept
    let count = whole.withUnsafeBytes { bytes in
      let units = CodeUnits(bytes, form)
      // The first four bytes reveal the encoding, so they are not split.
      var start = isFirst ? 4 : 0
      if start == 0, units.beginsComment(at: 0) {
        if isOutside { return endOfComment(in: units) }
        start = 1
      }
      while let found = units.index(of: UInt8(ascii: "<"), from: start) {
        if units.beginsComment(at: found) { return found * form.width }
        start = found + 1
      }
      return units.count * form.width
    }
    guard count > 0 else { return nil }
    let part = kept.prefix(count)
    kept = count == kept.count ? Data() : kept.dropFirst(count)
    isFirst = false
    searched = 0
    return part
  }

  /// Removes and returns the remaining bytes at the end of the document.
  mutating func rest() -> Data {
    defer { kept = Data() }
    return kept
  }

  /// Returns the length in bytes of the comment at the start; 0 if incomplete.
  private mutating func endOfComment(in units: CodeUnits) -> Int {
    var start = max(searched, "<!---->".utf8.count - 1)
    while let found = units.index(of: UInt8(ascii: ">"), from: start) {
      if units.isHyphen(at: found - 1), units.isHyphen(at: found - 2) {
        isTooLong = (found + 1) * form.width > limit
        return isTooLong ? 0 : (found + 1) * form.width
      }
      start = found + 1
    }
    searched = units.count
    isTooLong = units.count * form.width > limit
    return 0
  }
}

extension CodeUnits {
  /// Returns whether a comment begins, or may begin, at an index.
  ///
  /// More bytes may be needed to decide.
  fileprivate func beginsComment(at index: Int) -> Bool {
    for (offset, character) in "<!--".utf8.enumerated() {
      guard let unit = self[index + offset] else { return true }
      // A character is not compared if the encodings of this form disagree about it.
      if let wanted = form.unit(of: character), unit != wanted { return false }
    }
    return true
  }

  fileprivate func isHyphen(at index: Int) -> Bool { self[index] == form.unit(of: UInt8(ascii: "-")) }
}
