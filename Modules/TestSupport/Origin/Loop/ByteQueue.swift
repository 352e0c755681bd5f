/// A queue of bytes to read or to send.
package struct ByteQueue {
  private var storage: [UInt8] = []
  private var start = 0

  /// The number of bytes in the queue.
  package var count: Int { storage.count - start }
  package var isEmpty: Bool { storage.count == start }

  package mutating func append(_ bytes: [UInt8]) {
    storage.append(contentsOf: bytes)
  }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    storage.append(contentsOf: bytes.bindMemory(to: UInt8.self))
  }

  package mutating func append(_ text: String) {
    storage.append(contentsOf: text.utf8)
  }

  /// Appends `count` bytes that `fill` writes in place.
  package mutating func append(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
    guard count > 0 else { return }
    // Appending a sequence of zeros first would cost a call for each byte in a debug build.
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      // Safe because `fill` writes each byte of the buffer.
      fill(UnsafeMutableRawBufferPointer(buffer))
      initialized = count
    }
    if storage.isEmpty { storage = bytes } else { storage.append(contentsOf: bytes) }
  }

  /// Drops the first `count` bytes, or all if there are fewer.
  package mutating func discard(_ count: Int) {
    start = min(start + count, storage.count)
    if start == storage.count {
      // Thousands of idle connections must not each keep the largest buffer they ever needed.
      storage.removeAll(keepingCapacity: storage.capacity <= 4096)
      start = 0
    } else if start > 65_536, start > storage.count / 2 {
      storage.removeFirst(start)
      start = 0
    }
  }

  /// Removes and returns the first `count` bytes, or all if there are fewer.
  package mutating func take(_ count: Int) -> [UInt8] {
    let taken = [UInt8](storage[start..<min(start + count, storage.count)])
    discard(taken.count)
    return taken
  }

  /// Drops the bytes after the first `count` bytes.
  package mutating func truncate(to count: Int) {
    guard count < self.count else { return }
    storage.removeLast(self.count - count)
  }

  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try storage.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }
}
