/// The style in which a string is written so that it reads back unchanged.
enum ScalarStyle {
  case plain, singleQuoted, doubleQuoted
  /// A `|` block; only for values in block style.
  case literal

  typealias Bytes = UnsafeBufferPointer<UInt8>

  /// Returns the simplest style in which a string reads back unchanged.
  static func of(_ text: Bytes, isKey: Bool, isInFlow: Bool) -> ScalarStyle {
    let traits = Traits(text)
    if traits.needsEscapes { return .doubleQuoted }
    if traits.hasLineFeeds {
      return isKey || isInFlow || !canBeLiteral(text) ? .doubleQuoted : .literal
    }
    return isPlain(text, traits) && !Self.resolves(text) ? .plain : .singleQuoted
  }

  /// The kinds of characters in a string.
  private struct Traits {
    /// Whether it has characters that must be escaped in every style.
    var needsEscapes = false
    var hasLineFeeds = false
    /// Whether it has flow indicators, or a `:` or `#` that would end a plain scalar.
    var hasIndicators = false

    init(_ text: Bytes) {
      var place = 0
      while place < text.count {
        let byte = text[place]
        switch byte {
        case UInt8(ascii: "\n"): hasLineFeeds = true
        case 0..<0x20, 0x7F: needsEscapes = true
        case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"):
          hasIndicators = true
        case UInt8(ascii: ":"):
          if place + 1 == text.count || text[place + 1] == UInt8(ascii: " ") { hasIndicators = true }
        case UInt8(ascii: "#"):
          if place == 0 || text[place - 1] == UInt8(ascii: " ") { hasIndicators = true }
        case 0x80...: if EscapedScalar.starts(at: place, text) { needsEscapes = true }
        default: break
        }
        place += 1
      }
    }
  }

  /// Returns whether no character in a line of text has a meaning in YAML.
  private static func isPlain(_ text: Bytes, _ traits: Traits) -> Bool {
    guard let first = text.first, let last = text.last, !traits.hasIndicators else { return false }
    if first == UInt8(ascii: " ") || last == UInt8(ascii: " ") { return false }
    switch first {
    case UInt8(ascii: "-"):
      // A dash may begin a number or an option, but not an element (`- `) or a document (`---`).
      return text.count > 1 && (text[1].isDigit || (text[1] | 0x20) &- UInt8(ascii: "a") < 26)
    case UInt8(ascii: "."):
      // `...` at the start of a line ends a document.
      return !text.starts(with: "...".utf8)
    case UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "#"), UInt8(ascii: "&"), UInt8(ascii: "*"),
      UInt8(ascii: "!"), UInt8(ascii: "|"), UInt8(ascii: ">"), UInt8(ascii: "'"), UInt8(ascii: "\""),
      UInt8(ascii: "%"), UInt8(ascii: "@"), UInt8(ascii: "`"), UInt8(ascii: "="), UInt8(ascii: "<"):
      return false
    default: return true
    }
  }

  /// Returns whether a plain scalar would not be a string under some schema.
  private static func resolves(_ text: Bytes) -> Bool {
    if text.count > 4, text[4] == UInt8(ascii: "-"), text[..<4].allSatisfy(\.isDigit) {
      // A timestamp of YAML 1.1.
      return true
    }
    if text.count == 1, let letter = text.first.map({ $0 | 0x20 }) {
      // YAML 1.1 defines these as booleans, although few readers do.
      if letter == UInt8(ascii: "y") || letter == UInt8(ascii: "n") { return true }
    }
    return ScalarResolver.resolves(text, schema: .core) || ScalarResolver.resolves(text, schema: .yaml11)
  }

  /// Returns whether a text of several lines can be a literal block.
  ///
  /// Its first line must show the indentation, and no line may consist of white space that a reader could take for
  /// indentation.
  private static func canBeLiteral(_ text: Bytes) -> Bool {
    guard let first = text.first, first != UInt8(ascii: " "), first != UInt8(ascii: "\n") else { return false }
    return text.split(separator: UInt8(ascii: "\n")).allSatisfy { line in
      !line.allSatisfy { $0 == UInt8(ascii: " ") }
    }
  }
}

/// Characters that are written as escapes.
enum EscapedScalar {
  /// Returns whether a non-ASCII character must be escaped.
  ///
  /// It is not printable (YAML 1.2 §5.1), or it ends a line in YAML 1.1.
  static func starts(at place: Int, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    func at(_ offset: Int) -> UInt8 { place + offset < text.count ? text[place + offset] : 0 }
    switch text[place] {
    // U+0080…U+009F.
    case 0xC2: return at(1) < 0xA0
    // U+2028 and U+2029.
    case 0xE2: return at(1) == 0x80 && (at(2) == 0xA8 || at(2) == 0xA9)
    // U+FEFF, U+FFFE, U+FFFF.
    case 0xEF: return at(1) == 0xBB && at(2) == 0xBF || at(1) == 0xBF && at(2) >= 0xBE
    // The noncharacters that end each plane.
    case 0xF0...0xF4: return at(1) & 0x0F == 0x0F && at(2) == 0xBF && at(3) >= 0xBE
    default: return false
    }
  }
}
