import CZlib

/// Decompresses the messages of one direction (RFC 7692 §7.2.2), with zlib.
///
/// It stops as soon as a message is larger than its limit, whatever the number of compressed bytes. A peer that refers to bytes farther
/// back than the agreed window is refused, unless zlib still has them.
final class MessageInflater {
  /// The bytes that the sender removed from the end of each message.
  private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
  private static let pieceBytes = 16_384
  /// The most blocks of a message that are marked as the last one: each costs a copy of the window, and can have two bytes.
  private static let mostEnds = 4_096

  private let stream: UnsafeMutablePointer<z_stream>
  private let direction: DeflateParameters.Direction
  private var ends = 0

  init(_ direction: DeflateParameters.Direction) throws(WebSocketViolation) {
    self.direction = direction
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // When it throws here, the object is complete, so its `deinit` runs. A negative number means no header.
    guard curlew_inflate_init(stream, CInt(-direction.windowBits)) == Z_OK else {
      throw WebSocketViolation(.internalError, "There is not enough memory to decompress messages")
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Decompresses a part of a message, and appends it.
  ///
  /// - Parameter limit: The most bytes that `output` may have.
  func inflate(
    _ input: UnsafeRawBufferPointer, upTo limit: Int, into output: inout [UInt8]
  ) throws(WebSocketViolation) {
    // zlib does not write to its input, although the type allows it.
    stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: Bytef.self))
    stream.pointee.avail_in = uInt(clamping: input.count)
    while true {
      let start = output.count
      // One byte more than the limit, so that an excess shows.
      let room = min(Self.pieceBytes - 1, limit - start) + 1
      var result = Z_OK
      output.append(contentsOf: repeatElement(0, count: room))
      output.withUnsafeMutableBytes { bytes in
        stream.pointee.next_out = bytes.baseAddress.map { ($0 + start).assumingMemoryBound(to: Bytef.self) }
        stream.pointee.avail_out = uInt(room)
        result = CZlib.inflate(stream, Z_SYNC_FLUSH)
      }
      output.removeLast(Int(stream.pointee.avail_out))
      guard output.count <= limit else {
        throw .tooLarge("A decompressed message is larger than the limit of \(limit) bytes")
      }
      switch result {
      case Z_OK, Z_BUF_ERROR:
        if stream.pointee.avail_out > 0 { return }
      case Z_STREAM_END: try beginAnotherStream()
      default: throw .invalidPayload("A message cannot be decompressed")
      }
    }
  }

  /// Decompresses the end of a message, and appends it.
  func endMessage(upTo limit: Int, into output: inout [UInt8]) throws(WebSocketViolation) {
    try Self.tail.withRawBytes { (bytes) throws(WebSocketViolation) in
      try inflate(bytes, upTo: limit, into: &output)
    }
    ends = 0
    if !direction.keepsContext { inflateReset(stream) }
  }

  /// Continues after a block that is marked as the last one (RFC 7692 §7.2.3.4), with the same window.
  private func beginAnotherStream() throws(WebSocketViolation) {
    ends += 1
    guard ends <= Self.mostEnds else {
      throw .tooLarge("A compressed message has more than \(Self.mostEnds) blocks that end it")
    }
    var window = [UInt8](repeating: 0, count: 1 << 15)
    var count = uInt(0)
    guard inflateGetDictionary(stream, &window, &count) == Z_OK, inflateReset(stream) == Z_OK,
      inflateSetDictionary(stream, window, count) == Z_OK
    else { throw .invalidPayload("A message cannot be decompressed") }
  }
}
