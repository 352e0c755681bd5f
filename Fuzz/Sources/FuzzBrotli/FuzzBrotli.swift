import CurlewContentCoding
import CurlewCore
import FoundationEssentials
import FuzzCodingKit
import FuzzKit

/// A stream of brotli.
@main enum FuzzBrotli: FuzzTarget {
  static func read(_ bytes: Data) { CodedInput.check(bytes, [.brotli], for: Self.self) }
}
