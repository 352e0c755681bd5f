import FoundationEssentials

/// A queue of bytes between the source of a body and libcurl.
///
/// Each chunk is released when all of it was taken.
struct UploadBuffer {
  private var chunks: [Data] = []
  /// The index of the first chunk with remaining bytes; earlier ones are empty.
  private var first = 0
  /// The number of bytes taken from that chunk.
  private var taken = 0
  /// The number of bytes in the queue.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The number of bytes in memory, including taken bytes of the first chunk.
  var held: Int { chunks.reduce(0) { $0 + $1.count } }

  mutating func append(_ chunk: Data) {
    guard !chunk.isEmpty else { return }
    chunks.append(chunk)
    count += chunk.count
  }

  /// Takes as many bytes as fit and returns their number.
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
    // Moving the rest once it is the smaller half costs no more than appending each chunk did.
    guard first * 2 >= chunks.count else { return }
    chunks.removeFirst(first)
    first = 0
  }
}
