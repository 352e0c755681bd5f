import Foundation
import Testing

@testable import CurlewCore

@Suite struct NFCTests {
  @Test(arguments: [
    ("A\u{30A}", "\u{C5}"), ("\u{212B}", "\u{C5}"), ("\u{1E9B}\u{323}", "\u{1E9B}\u{323}"), ("\u{FB01}", "\u{FB01}"),
    ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"), ("s\u{307}\u{323}", "\u{1E69}"), ("\u{958}", "\u{915}\u{93C}"), ("", ""),
    ("plain", "plain"),
  ]) func `text is composed by the rules of UAX #15`(text: String, composed: String) {
    // Strings compare by canonical equivalence, so the scalars are compared.
    #expect(Array(text.nfc.unicodeScalars) == Array(composed.unicodeScalars))
  }

  @Test func `letters with marks are composed as Foundation composes them`() {
    let letters: [ClosedRange<UInt32>] = [
      0xC0...0x24F, 0x370...0x52F, 0x900...0x9FF, 0xF40...0xFBC, 0x1E00...0x1FFF, 0x3040...0x30FF, 0xAC00...0xAC80,
      0xFB1D...0xFB4F, 0x1109A...0x110AB,
    ]
    var differing: [String] = []
    for scalar in letters.joined().compactMap(Unicode.Scalar.init) {
      for tail in ["", "\u{301}", "\u{323}\u{302}"] {
        let text = String(scalar) + tail
        if Array(text.nfc.unicodeScalars) != Array(text.precomposedStringWithCanonicalMapping.unicodeScalars) {
          differing.append(text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " "))
        }
      }
    }
    #expect(differing.isEmpty, "\(differing.prefix(20))")
  }
}
