import FoundationEssentials

/// Bytes on their way to libxml2, where a comment outside of the document's element is kept until its end has come.
///
/// Outside of content libxml2 looks for the end of a comment from its first character on, and takes `<!-->` and `<!--->`,
/// which only begin one, for a whole. So it never gets a part of such a comment.
struct OuterComments {
  private let form: CodeUnits.Form
  /// How many bytes such a comment may have.
  private let limit: Int
  private var kept = Data()
  /// How many units of a comment that is kept are known not to end it.
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

  /// The next bytes to parse; nil when more have to come first.
  ///
  /// - Parameter isOutside: Whether the parser, having parsed all it was given, stands outside of the element, and in
  ///   nothing that has begun there.
  mutating func next(isOutside: Bool) -> Data? {
    guard !isTooLong else { return nil }
    let whole = kept
    let count = whole.withUnsafeBytes { bytes in
      let units = CodeUnits(bytes, form)
      // The first bytes tell the encoding and stay together; a comment among them is there as a whole.
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

  /// What is left at the end of the document.
  mutating func rest() -> Data {
    defer { kept = Data() }
    return kept
  }

  /// How many bytes a comment has that begins with the first; 0 as long as its end has not come.
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
  /// Whether a comment begins at an index, or may do so once more has come.
  fileprivate func beginsComment(at index: Int) -> Bool {
    for (offset, character) in "<!--".utf8.enumerated() {
      guard let unit = self[index + offset] else { return true }
      // Encodings of the form may differ in a character.
      if let wanted = form.unit(of: character), unit != wanted { return false }
    }
    return true
  }

  fileprivate func isHyphen(at index: Int) -> Bool { self[index] == form.unit(of: UInt8(ascii: "-")) }
}
