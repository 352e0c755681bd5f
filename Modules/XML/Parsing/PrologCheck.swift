/// Checks rules of the prolog that libxml2 2.9 does not enforce.
///
/// - White space separates the pseudo-attributes of the XML declaration (XML 1.0 §2.8, productions 23, 32 and 80).
/// - A document is in the encoding that it declares (§4.3.3).
/// - White space follows `<!DOCTYPE`, the name is a qualified name, and only white space and `>` follow the internal
///   subset, which precedes that `>` (production 28).
///
/// libxml2 checks everything else.
struct PrologCheck {
  private let units: CodeUnits
  /// Whether the encoding is known from outside, which overrides the declaration.
  private let isLabeled: Bool
  /// Indices of characters that libxml2 misreads when it looks for the end of the declaration or of its subset.
  private var misread: [Int] = []
  private var index = 0
  /// The encoding that the XML declaration names.
  private var declared: String?

  enum Outcome {
    /// All rules hold up to the end of the document type declaration.
    ///
    /// `misread` has the indices of characters in its literals, comments and instructions that libxml2, when it receives
    /// the declaration in pieces, would take for the end of a comment or of the declaration, or for the start of a literal.
    case passed(misread: [Int])
    /// No violation so far, and the bytes end before the outermost element.
    case incomplete
    case failed(ParseFailure)
  }

  /// Checks the beginning of a document.
  static func outcome(in units: CodeUnits, _ encoding: SourceEncoding) -> Outcome {
    guard units.form != .ebcdic else { return .passed(misread: []) }
    return encoding.withMarkup(of: units) { markup in
      var check = PrologCheck(units: markup, isLabeled: encoding.isLabeled)
      return check.run()
    }
  }

  /// The reason for a document whose bytes cannot be in the encoding it declares.
  static let otherEncoding = "the document is not in the encoding that it declares"

  /// Returns the encoding that the XML declaration names.
  ///
  /// Nil when it names none or is malformed before that.
  static func declaredEncoding(in units: CodeUnits) -> String? {
    var check = PrologCheck(units: units, isLabeled: true)
    guard check.skip("<?xml"), check.isSpace(units[check.index]) else { return nil }
    _ = check.declaration()
    return check.declared
  }

  private init(units: CodeUnits, isLabeled: Bool) {
    self.units = units
    self.isLabeled = isLabeled
    // In UTF-8 the byte order mark has three units.
    if units.isMarked { index = units.form == .bytes ? 3 : 1 }
  }

  private mutating func run() -> Outcome {
    if skip("<?xml"), isSpace(units[index]) {
      if let outcome = declaration() { return outcome }
      guard skip("?>") else { return units.count - index < 2 ? .incomplete : .passed(misread: []) }
    }
    while true {
      skipSpace()
      if skip("<!--") {
        guard skip(past: "-->") else { return .incomplete }
      } else if skip("<?") {
        guard skip(past: "?>") else { return .incomplete }
      } else if skip("<!DOCTYPE") {
        return documentType()
      } else {
        // This is the outermost element or an error. After "<!" more bytes are needed to decide.
        let isTold = units[index].map { $0 != 0x3C } ?? false || units[index + 1].map { $0 != 0x21 } ?? false
        return isTold || units.count - index >= 9 ? .passed(misread: []) : .incomplete
      }
    }
  }

  /// Checks the XML declaration.
  ///
  /// Returns the outcome if it is decided, nil to continue.
  private mutating func declaration() -> Outcome? {
    while true {
      let hasSpace = isSpace(units[index])
      skipSpace()
      guard let unit = units[index] else { return .incomplete }
      guard unit != UInt32(UInt8(ascii: "?")) else { return nil }
      guard hasSpace else { return failure("expected white space between the parts of the XML declaration") }
      let name = word { !" \t\r\n=?".unicodeScalars.map(\.value).contains($0) }
      skipSpace()
      guard skip("=") else { return units[index] == nil ? .incomplete : nil }
      skipSpace()
      guard let value = literal() else { return units[index] == nil ? .incomplete : nil }
      guard name == "encoding" else { continue }
      declared = declared ?? value
      if !isLabeled, !fits(value) { return failure(Self.otherEncoding, .encoding) }
    }
  }

  /// Returns whether the bytes can be in the declared encoding.
  private func fits(_ declared: String) -> Bool {
    let name = declared.uppercased()
    let isWide =
      name.hasPrefix("UTF-16") || name == "UTF16" || name.hasPrefix("ISO-10646-UCS-") || name.hasPrefix("UCS-")
      || name.hasPrefix("UTF-32")
    switch units.form {
    case .bytes: return !isWide && (!units.isMarked || name == "UTF-8" || name == "UTF8")
    case .pairs, .quads: return isWide
    case .ebcdic: return true
    }
  }

  private mutating func documentType() -> Outcome {
    guard let next = units[index] else { return .incomplete }
    guard isSpace(next) else { return failure("expected white space after <!DOCTYPE") }
    skipSpace()
    let name = word { !" \t\r\n[>".unicodeScalars.map(\.value).contains($0) }
    let parts = name.split(separator: ":", omittingEmptySubsequences: false)
    if units[index] != nil, parts.count > 2 || (parts.count == 2 && parts.contains(where: \.isEmpty)) {
      return failure("the name after <!DOCTYPE must be a qualified name", .namespace)
    }
    while let unit = units[index] {
      if unit == 0x22 || unit == 0x27 {
        let start = index
        guard literal() != nil else { return .incomplete }
        misread += (start..<index).filter { isEnd(at: $0) }
      } else if unit == UInt32(UInt8(ascii: "[")) {
        return skipSubset() ? .passed(misread: misread) : .incomplete
      } else if unit == UInt32(UInt8(ascii: ">")) {
        index += 1
        guard let behind = units[index] else { return .incomplete }
        return behind == UInt32(UInt8(ascii: "["))
          ? failure("the internal subset must come before the > that ends the document type declaration")
          : .passed(misread: misread)
      } else {
        index += 1
      }
    }
    return .incomplete
  }

  /// Skips the internal subset and the end of the declaration.
  ///
  /// Returns false when the bytes end before that.
  private mutating func skipSubset() -> Bool {
    while let unit = units[index] {
      // Only a `<` is looked at closely, because most of a subset is something else.
      if unit == 0x3C, skip("<!--") {
        let start = index
        _ = skip("-")
        if units[index] == UInt32(UInt8(ascii: ">")) { misread.append(index) }
        index = start
        guard skip(past: "-->") else { return false }
      } else if unit == 0x3C, skip("<?") {
        let start = index
        guard skip(past: "?>") else { return false }
        misread += (start..<index - 1).filter {
          units[$0] == 0x22 || units[$0] == 0x27 || isEnd(at: $0) || isComment(at: $0)
        }
      } else if unit == 0x22 || unit == 0x27 {
        guard literal() != nil else { return false }
      } else if unit == UInt32(UInt8(ascii: "]")) {
        return skip(past: ">")
      } else {
        index += 1
      }
    }
    return false
  }

  private func failure(_ reason: String, _ kind: XMLError.Kind = .malformed) -> Outcome {
    .failed(ParseFailure(kind: kind, reason: reason, position: units.position(of: index)))
  }

  // MARK: Units

  private func isSpace(_ unit: UInt32?) -> Bool { unit == 0x20 || unit == 0x09 || unit == 0x0A || unit == 0x0D }

  private mutating func skipSpace() {
    while isSpace(units[index]) { index += 1 }
  }

  private func isEnd(at index: Int) -> Bool { units[index] == UInt32(UInt8(ascii: ">")) }

  private func isComment(at index: Int) -> Bool {
    units[index] == 0x3C && units[index + 1] == 0x21 && units[index + 2] == 0x2D && units[index + 3] == 0x2D
  }

  private mutating func skip(_ text: StaticString) -> Bool {
    let found = text.withUTF8Buffer { wanted in
      wanted.indices.allSatisfy { units[index + $0] == UInt32(wanted[$0]) } ? wanted.count : nil
    }
    index += found ?? 0
    return found != nil
  }

  private mutating func skip(past text: StaticString) -> Bool {
    while units[index] != nil {
      if skip(text) { return true }
      index += 1
    }
    return false
  }

  /// Reads a quoted text; returns nil when it does not end.
  private mutating func literal() -> String? {
    guard let quote = units[index], quote == 0x22 || quote == 0x27 else { return nil }
    index += 1
    let text = word { $0 != quote }
    guard units[index] == quote else { return nil }
    index += 1
    return text
  }

  /// Reads units while they are wanted; non-ASCII ones become U+FFFD.
  private mutating func word(while isWanted: (UInt32) -> Bool) -> String {
    var text = ""
    while let unit = units[index], isWanted(unit) {
      text.unicodeScalars.append(unit < 0x80 ? Unicode.Scalar(UInt8(unit)) : "\u{FFFD}")
      index += 1
    }
    return text
  }
}
