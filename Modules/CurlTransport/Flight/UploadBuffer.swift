import FoundationEssentials

/// Bytes between the source of a body and libcurl, first in first out; what was taken is let go, chunk by chunk.
struct UploadBuffer {
  private var chunks: [Data] = []
  /// The first chunk that has bytes left; those before it are empty.
  private var first = 0
  /// How many bytes of it were taken.
  private var taken = 0
  /// The bytes that wait.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The bytes that are in memory: those that wait, and what was taken of a chunk that is not at its end.
  var held: Int { chunks.reduce(0) { $0 + $1.count } }

  mutating func append(_ chunk: Data) {
    guard !chunk.isEmpty else { return }
    chunks.append(chunk)
    count += chunk.count
  }

  /// Takes as many bytes as fit, and says how many.
  mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var written = 0
    while written < buffer.count, first < chunks.count {
      let chunk = chunks[first]
      let size = min(buffer.count - written, chunk.count - taken)
      chunk.dropFirst(taken).copyBytes(
        to: UnsafeMutableRawBufferPointer(rebasing: buffer[written..<(written + size)]), count: size)
      written += size
      taken += size
      if taken == chunk.count { dropChunk() }
    }
    count -= written
    return written
  }

  mutating func removeAll() { self = UploadBuffer() }

  private mutating func dropChunk() {
    chunks[first] = Data()
    first += 1
    taken = 0
    // Moving the rest once it is the smaller half costs no more than each chunk's own place did.
    guard first * 2 >= chunks.count else { return }
    chunks.removeFirst(first)
    first = 0
  }
}
