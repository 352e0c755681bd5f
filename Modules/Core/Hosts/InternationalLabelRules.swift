/// The rules for labels outside ASCII (RFC 5891 §4.2, RFC 5892).
///
/// They use the standard library's Unicode data. Where data is missing they are stricter than RFC 5892: a zero width
/// non-joiner is accepted only after a virama and between letters of the Arabic block.
enum InternationalLabelRules {
  /// Checks a label that was mapped and is in NFC.
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

  /// Returns whether UTS #46 can map text to a label, regardless of IDNA 2008.
  static func couldBeMapped(_ label: [Unicode.Scalar]) -> Bool {
    guard let first = label.first, !isMark(first) else { return false }
    return label.indices.allSatisfy { place in
      let scalar = label[place]
      switch scalar.value {
      case 0..<0x80: return InternationalDomainName.isAllowed(scalar)
      // Letters that UTS #46 once mapped and IDNA 2008 keeps.
      case 0xDF, 0x3C2: return true
      case 0x200C: return place > 0 && place < label.count - 1
      case 0x200D: return followsVirama(label, place)
      case 0xFFFC, 0xFFFD: return false
      default: break
      }
      let properties = scalar.properties
      guard !properties.changesWhenNFKCCaseFolded, !properties.isNoncharacterCodePoint else { return false }
      switch properties.generalCategory {
      case .control, .format, .privateUse, .surrogate, .spaceSeparator, .lineSeparator, .paragraphSeparator:
        return false
      default: return true
      }
    }
  }

  /// Returns whether a character is PVALID (RFC 5892 §3).
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

  /// Returns the contextual rule of a character (RFC 5892 appendix A).
  private static func contextRule(of scalar: Unicode.Scalar) -> ContextRule? {
    switch scalar.value {
    case 0x200C: { followsVirama($0, $1) || breaksCursiveJoin($0, $1) }
    case 0x200D: { followsVirama($0, $1) }
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

  private static func followsVirama(_ label: [Unicode.Scalar], _ place: Int) -> Bool {
    place > 0 && label[place - 1].properties.canonicalCombiningClass == .virama
  }

  /// Returns whether joining letters are on both sides, ignoring marks.
  private static func breaksCursiveJoin(_ label: [Unicode.Scalar], _ place: Int) -> Bool {
    let isTransparent = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory == .nonspacingMark }
    guard let before = label[..<place].last(where: { !isTransparent($0) }),
      let after = label[(place + 1)...].first(where: { !isTransparent($0) })
    else { return false }
    return joinsBothSides(before) && (joinsBothSides(after) || joinsRightSide(after))
  }

  /// Returns whether a letter of the Arabic block has joining type D.
  private static func joinsBothSides(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x620, 0x626, 0x628, 0x62A...0x62E, 0x633...0x63F, 0x641...0x647, 0x649...0x64A, 0x66E...0x66F,
      0x678...0x687, 0x69A...0x6BF, 0x6C1...0x6C2, 0x6CC, 0x6CE, 0x6D0...0x6D1, 0x6FA...0x6FC, 0x6FF:
      true
    default: false
    }
  }

  /// Returns whether a letter of the Arabic block has joining type R.
  private static func joinsRightSide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x622...0x625, 0x627, 0x629, 0x62F...0x632, 0x648, 0x671...0x673, 0x675...0x677, 0x688...0x699, 0x6C0,
      0x6C3...0x6CB, 0x6CD, 0x6CF, 0x6D2...0x6D3, 0x6D5, 0x6EE...0x6EF:
      true
    default: false
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

  /// Returns whether a character is Hiragana, Katakana or Han.
  ///
  /// The middle dot is excluded.
  private static func isJapanese(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x3005, 0x3007, 0x3041...0x3096, 0x309D...0x309F, 0x30A1...0x30FA, 0x30FD...0x30FF, 0x31F0...0x31FF,
      0x3400...0x4DBF, 0x4E00...0x9FFF, 0x20000...0x323AF:
      true
    default: false
    }
  }
}

/// The rule for names with right-to-left labels (RFC 5893 §2).
///
/// The standard library does not provide the direction of a character, so Unicode blocks determine it: letters and digits of
/// these blocks are written from right to left, except for the digits named here.
enum BidirectionalRule {
  private enum Direction {
    case leftToRight
    case rightToLeft
    case europeanNumber
    case arabicNumber
    case mark
    case neutral
  }

  /// Returns whether a label makes the rule apply to the whole name.
  static func makesNameBidirectional(_ label: [Unicode.Scalar]) -> Bool {
    label.contains { direction($0) == .rightToLeft || direction($0) == .arabicNumber }
  }

  /// Returns whether a nonempty label follows the rule.
  static func allows(_ label: [Unicode.Scalar]) -> Bool {
    let directions = label.map(direction)
    let last = directions.last { $0 != .mark }
    switch directions.first {
    case .rightToLeft:
      guard !directions.contains(.leftToRight), last != .neutral else { return false }
      return !(directions.contains(.europeanNumber) && directions.contains(.arabicNumber))
    case .leftToRight:
      return !directions.contains(.rightToLeft) && !directions.contains(.arabicNumber) && last != .neutral
    default:
      return false
    }
  }

  private static func direction(_ scalar: Unicode.Scalar) -> Direction {
    switch scalar.value {
    case 0x30...0x39, 0x6F0...0x6F9: return .europeanNumber
    case 0x2D, 0x5F, 0xB7, 0x375, 0x200C, 0x200D, 0x30FB: return .neutral
    case 0x660...0x669, 0x10D30...0x10D39, 0x10D40...0x10D49, 0x10E60...0x10E7E: return .arabicNumber
    // The marks that have a direction of their own.
    case 0xCBF, 0xCC6, 0x11A07, 0x11A08, 0x11C3F: return .leftToRight
    case _ where scalar.properties.generalCategory == .nonspacingMark: return .mark
    case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: return .rightToLeft
    default: return .leftToRight
    }
  }
}
