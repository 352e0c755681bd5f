import CurlewContentCoding
import CurlewCore
import FoundationEssentials
import FuzzCodingKit
import FuzzKit

/// Fuzzes the decoding of gzip members.
@main enum FuzzGzip: FuzzTarget {
  static func read(_ bytes: Data) { CodedInput.check(bytes, [.gzip], for: Self.self) }
}
