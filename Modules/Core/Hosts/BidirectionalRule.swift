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
