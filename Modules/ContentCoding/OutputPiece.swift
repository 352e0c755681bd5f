import FoundationEssentials

/// Memory for one piece of plain content.
///
/// It becomes a `Data` without a copy if most of the memory is used.
struct OutputPiece: ~Copyable {
  private var memory: UnsafeMutableRawBufferPointer?

  /// The memory to write to.
  var room: UnsafeMutableRawBufferPointer {
    mutating get {
      if let memory { return memory }
      let new = UnsafeMutableRawBufferPointer.allocate(byteCount: ContentDecoder.pieceBytes, alignment: 16)
      memory = new
      return new
    }
  }

  deinit { memory?.deallocate() }

  /// Returns the first `count` written bytes, and makes the whole room free again.
  mutating func take(_ count: Int) -> Data {
    guard let written = memory, let start = written.baseAddress else { return Data() }
    guard count > ContentDecoder.pieceBytes / 2 else { return Data(bytes: start, count: count) }
    memory = nil
    return Data(
      bytesNoCopy: start, count: count, deallocator: .custom { bytes, _ in bytes.deallocate() })
  }
}
