import CurlewContentCoding
import CurlewCore
import FoundationEssentials
import FuzzCodingKit
import FuzzKit

/// Fuzzes the decoding of deflate, with and without the zlib format.
@main enum FuzzDeflate: FuzzTarget {
  static func read(_ bytes: Data) { CodedInput.check(bytes, [.deflate], for: Self.self) }
}
