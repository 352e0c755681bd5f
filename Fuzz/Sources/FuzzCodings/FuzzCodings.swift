import CurlewContentCoding
import CurlewCore
import FoundationEssentials
import FuzzCodingKit
import FuzzKit

/// Fuzzes content with two codings, which the first byte selects.
@main enum FuzzCodings: FuzzTarget {
  static func read(_ bytes: Data) {
    guard let first = bytes.first else { return }
    let codings = ContentDecoder.codings
    let pair = [codings[Int(first & 3)], codings[Int(first >> 2 & 3)]]
    CodedInput.check(bytes.dropFirst(), pair, for: Self.self)
  }
}
