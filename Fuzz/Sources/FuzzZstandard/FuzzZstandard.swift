import CurlewContentCoding
import CurlewCore
import FoundationEssentials
import FuzzCodingKit
import FuzzKit

/// Fuzzes the decoding of zstd frames.
@main enum FuzzZstandard: FuzzTarget {
  static func read(_ bytes: Data) { CodedInput.check(bytes, [.zstd], for: Self.self) }
}
