/// The characters that XML 1.0 (fifth edition) allows in names and texts.
enum XMLCharacters {
  /// Returns whether a text is a name without a colon.
  ///
  /// See Namespaces in XML 1.0, production 4 (NCName).
  static func isName(_ text: String) -> Bool {
    var scalars = text.unicodeScalars.makeIterator()
    guard let first = scalars.next(), isNameStart(first) else { return false }
    while let scalar = scalars.next() {
      guard isNameStart(scalar) || isNameRest(scalar) else { return false }
    }
    return true
  }

  /// Returns whether XML allows all characters of a text (production 2).
  static func areAllowed(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
      default: false
      }
    }
  }

  /// Returns whether a name can begin with a character.
  ///
  /// See production 4; a colon is excluded.
  private static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "A"..."Z", "a"..."z", "_", "\u{C0}"..."\u{D6}", "\u{D8}"..."\u{F6}", "\u{F8}"..."\u{2FF}",
      "\u{370}"..."\u{37D}", "\u{37F}"..."\u{1FFF}", "\u{200C}"..."\u{200D}", "\u{2070}"..."\u{218F}",
      "\u{2C00}"..."\u{2FEF}", "\u{3001}"..."\u{D7FF}", "\u{F900}"..."\u{FDCF}", "\u{FDF0}"..."\u{FFFD}",
      "\u{10000}"..."\u{EFFFF}":
      true
    default: false
    }
  }

  /// Returns whether a name can have a character after the first (production 4a).
  ///
  /// It only knows the characters that cannot also begin a name.
  private static func isNameRest(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "-", ".", "0"..."9", "\u{B7}", "\u{300}"..."\u{36F}", "\u{203F}"..."\u{2040}": true
    default: false
    }
  }
}
