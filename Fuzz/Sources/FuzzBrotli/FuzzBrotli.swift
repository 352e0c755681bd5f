import CurlewContentCoding
import CurlewCore
import FoundationEssentials
import FuzzCodingKit
import FuzzKit

/// Fuzzes the decoding of a brotli stream.
@main enum FuzzBrotli: FuzzTarget {
  static func read(_ bytes: Data) { CodedInput.check(bytes, [.brotli], for: Self.self) }
}
