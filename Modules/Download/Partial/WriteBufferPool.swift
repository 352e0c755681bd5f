import CurlewCore

/// The empty buffers of all downloads on a disk.
///
/// A thousand downloads that each keep one would need more memory than those that have bytes to write.
final class WriteBufferPool: Sendable {
  private let buffers = Guarded<[WriteBuffer]>([])

  /// Returns an empty buffer.
  func take(capacity: Int) -> WriteBuffer {
    let kept = buffers.withLock { buffers in
      // The number of writers has changed when the capacity is another one.
      if buffers.last?.capacity != capacity { buffers = [] }
      return buffers.popLast()
    }
    return kept ?? WriteBuffer(capacity: capacity)
  }

  /// Takes back a buffer whose bytes were written.
  func give(_ buffer: WriteBuffer) {
    buffer.clear()
    buffers.withLock { $0.append(buffer) }
  }

  func removeAll() { buffers.withLock { $0 = [] } }
}
