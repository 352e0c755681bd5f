import CurlewContentCoding
import CurlewCore
import FoundationEssentials
import FuzzCodingKit
import FuzzKit

/// Frames of zstd.
@main enum FuzzZstandard: FuzzTarget {
  static func read(_ bytes: Data) { CodedInput.check(bytes, [.zstd], for: Self.self) }
}
