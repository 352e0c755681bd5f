import Glibc
import HTTPTypes

/// What a loop remembers of heads, so that nothing is read twice: servers repeat themselves.
struct HeadParseCache {
  var fields = FieldCache()
  var lastHead: KnownHead?
}

/// A head and the bytes it was made of.
final class KnownHead: Sendable {
  let bytes: [UInt8]
  let head: HeadParser.Head

  init(_ bytes: [UInt8], _ head: HeadParser.Head) {
    self.bytes = bytes
    self.head = head
  }

  /// Whether a whole line stands at an offset.
  func bytes(from offset: Int, are line: UnsafeRawBufferPointer) -> Bool {
    guard line.last == 10, line.count <= bytes.count - offset else { return false }
    return bytes.withUnsafeBytes { bytes in
      guard let ours = bytes.baseAddress, let theirs = line.baseAddress else { return false }
      return memcmp(ours + offset, theirs, line.count) == 0
    }
  }
}

/// The bytes of a head while it comes.
struct HeadRecord {
  /// Larger heads are not remembered.
  private static let most = 4_096
  private var bytes: [UInt8] = []
  private var isSpoiled = false

  mutating func append(_ line: UnsafeRawBufferPointer) {
    guard !isSpoiled, line.last == 10, bytes.count + line.count <= Self.most else {
      return spoil()
    }
    if bytes.isEmpty { bytes.reserveCapacity(512) }
    bytes.append(contentsOf: line)
  }

  /// Nothing of this head is to be remembered.
  mutating func spoil() { isSpoiled = true }

  /// What to remember; nil for a head that is too large, or holds what is nobody's to keep.
  func known(as head: HeadParser.Head) -> KnownHead? {
    guard !isSpoiled, !head.fields.contains(where: { FieldCache.neverKept.contains($0.name) }) else { return nil }
    return KnownHead(bytes, head)
  }
}
