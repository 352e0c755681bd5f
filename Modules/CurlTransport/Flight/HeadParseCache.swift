import Glibc
import HTTPTypes

/// The caches of a loop, which avoid parsing repeated heads and fields.
struct HeadParseCache {
  var fields = FieldCache()
  var lastHead: KnownHead?
}

/// A parsed head and its bytes.
final class KnownHead: Sendable {
  let bytes: [UInt8]
  let head: HeadParser.Head

  init(_ bytes: [UInt8], _ head: HeadParser.Head) {
    self.bytes = bytes
    self.head = head
  }

  /// Returns whether a complete line is at an offset.
  func bytes(from offset: Int, are line: UnsafeRawBufferPointer) -> Bool {
    guard line.last == 10, line.count <= bytes.count - offset else { return false }
    return bytes.withUnsafeBytes { bytes in
      guard let ours = bytes.baseAddress, let theirs = line.baseAddress else { return false }
      return memcmp(ours + offset, theirs, line.count) == 0
    }
  }
}

/// Records the bytes of a head as they arrive.
struct HeadRecord {
  /// The most bytes of a head to store.
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

  /// Excludes this head from the cache.
  mutating func spoil() { isSpoiled = true }

  /// Returns the head to store; nil if it is too large or contains secrets.
  func known(as head: HeadParser.Head) -> KnownHead? {
    guard !isSpoiled, !head.fields.contains(where: { FieldCache.neverKept.contains($0.name) }) else { return nil }
    return KnownHead(bytes, head)
  }
}
