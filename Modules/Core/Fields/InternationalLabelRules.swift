/// What a label outside ASCII may hold (RFC 5891 §4.2, RFC 5892), judged with the standard library's Unicode data.
///
/// It is stricter than RFC 5892 where the data is missing: a zero width non-joiner is allowed only after a virama.
enum InternationalLabelRules {
  /// Checks a label that is mapped and in NFC.
  static func check(_ label: [Unicode.Scalar]) throws(HostNameError) {
    let hyphen: Unicode.Scalar = "-"
    guard let first = label.first, !isMark(first), first != hyphen, label.last != hyphen,
      label.count < 4 || label[2] != hyphen || label[3] != hyphen
    else { throw HostNameError(.invalidInternationalLabel) }
    for (place, scalar) in label.enumerated() {
      if scalar.isASCII {
        guard InternationalDomainName.isAllowed(scalar), scalar != "_" else {
          throw HostNameError(.forbiddenCodePoint(scalar))
        }
      } else if let isInContext = contextRule(of: scalar) {
        guard isInContext(label, place) else { throw HostNameError(.unmappableCodePoint(scalar)) }
      } else {
        guard isLetterOrDigit(scalar) else { throw HostNameError(.unmappableCodePoint(scalar)) }
      }
    }
  }

  static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  /// Whether UTS #46 lets a character stand in a label as it is, IDNA 2008 aside.
  static func canStandInALabel(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return InternationalDomainName.isAllowed(scalar) }
    if isDeviation(scalar) { return true }
    let properties = scalar.properties
    guard !properties.changesWhenNFKCCaseFolded, !properties.isNoncharacterCodePoint else { return false }
    switch properties.generalCategory {
    case .control, .format, .privateUse, .surrogate, .spaceSeparator, .lineSeparator, .paragraphSeparator: return false
    default: return true
    }
  }

  /// The four characters that UTS #46 once mapped and IDNA 2008 keeps: ß, ς, and the joiners.
  private static func isDeviation(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xDF, 0x3C2, 0x200C, 0x200D: true
    default: false
    }
  }

  /// PVALID of RFC 5892 §3.
  private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007: return true
    // §2.6, exceptions.
    case 0x640, 0x7FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: return false
    // §2.9, old Hangul.
    case 0x1100...0x11FF, 0xA960...0xA97F, 0xD7B0...0xD7FF: return false
    // §2.4, marks for symbols and music.
    case 0x20D0...0x20FF, 0x1D100...0x1D24F: return false
    default: break
    }
    let properties = scalar.properties
    guard !properties.changesWhenNFKCCaseFolded, !properties.isDefaultIgnorableCodePoint else { return false }
    switch properties.generalCategory {
    case .lowercaseLetter, .uppercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark,
      .decimalNumber:
      return true
    default: return false
    }
  }

  private typealias ContextRule = @Sendable ([Unicode.Scalar], Int) -> Bool

  /// The rules of RFC 5892 appendix A for the characters that need one.
  private static func contextRule(of scalar: Unicode.Scalar) -> ContextRule? {
    switch scalar.value {
    case 0x200C, 0x200D:
      { label, place in place > 0 && label[place - 1].properties.canonicalCombiningClass == .virama }
    case 0xB7:
      { label, place in
        place > 0 && place + 1 < label.count && label[place - 1] == "l" && label[place + 1] == "l"
      }
    case 0x375:
      { label, place in place + 1 < label.count && isGreek(label[place + 1]) }
    case 0x5F3, 0x5F4:
      { label, place in place > 0 && isHebrew(label[place - 1]) }
    case 0x30FB:
      { label, _ in label.contains(where: isJapanese) }
    case 0x660...0x669:
      { label, _ in !label.contains { (0x6F0...0x6F9).contains($0.value) } }
    case 0x6F0...0x6F9:
      { label, _ in !label.contains { (0x660...0x669).contains($0.value) } }
    default: nil
    }
  }

  private static func isGreek(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x370...0x373, 0x376...0x377, 0x37B...0x37D, 0x38A...0x3E1, 0x3F0...0x3FF, 0x1F00...0x1FFC: true
    default: false
    }
  }

  private static func isHebrew(_ scalar: Unicode.Scalar) -> Bool {
    (0x591...0x5F4).contains(scalar.value)
  }

  /// Hiragana, Katakana and Han, the middle dot itself aside.
  private static func isJapanese(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x3005, 0x3007, 0x3041...0x3096, 0x309D...0x309F, 0x30A1...0x30FA, 0x30FD...0x30FF, 0x31F0...0x31FF,
      0x3400...0x4DBF, 0x4E00...0x9FFF, 0x20000...0x323AF:
      true
    default: false
    }
  }
}
