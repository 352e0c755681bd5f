import CZlib

/// Compresses the messages of one direction (RFC 7692 §7.2.1), with zlib.
final class MessageDeflater {
  private static let pieceBytes = 16_384
  private static let tailBytes = 4

  private let stream: UnsafeMutablePointer<z_stream>
  private let keepsContext: Bool
  private var room: [UInt8] = []

  /// Creates a compressor; nil without memory, and for a window of 8 bits, which zlib cannot write.
  init?(_ direction: DeflateParameters.Direction, level: Int) {
    keepsContext = direction.keepsContext
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard direction.windowBits > 8, curlew_deflate_init(stream, CInt(level), CInt(-direction.windowBits)) == Z_OK else {
      return nil
    }
    room = [UInt8](repeating: 0, count: Self.pieceBytes)
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Returns a message that is not empty in compressed form.
  func deflate(_ input: UnsafeRawBufferPointer) -> [UInt8] {
    var output: [UInt8] = []
    // zlib counts in 32 bits.
    var start = 0
    repeat {
      let piece = input[start..<min(input.count, start + (1 << 30))]
      let isLast = piece.endIndex == input.count
      run(UnsafeRawBufferPointer(rebasing: piece), isLast ? Z_SYNC_FLUSH : Z_NO_FLUSH, into: &output)
      start = piece.endIndex
    } while start < input.count
    // An empty block ends the output; its last four bytes are not sent.
    output.removeLast(min(Self.tailBytes, output.count))
    if !keepsContext { deflateReset(stream) }
    return output
  }

  private func run(_ input: UnsafeRawBufferPointer, _ flush: CInt, into output: inout [UInt8]) {
    // zlib does not write to its input, although the type allows it.
    stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: Bytef.self))
    stream.pointee.avail_in = uInt(clamping: input.count)
    room.withUnsafeMutableBufferPointer { room in
      repeat {
        stream.pointee.next_out = room.baseAddress
        stream.pointee.avail_out = uInt(clamping: room.count)
        // `Z_BUF_ERROR` says that there was nothing to do; deflate fails in no other way with a valid stream.
        CZlib.deflate(stream, flush)
        output.append(contentsOf: room.prefix(room.count - Int(stream.pointee.avail_out)))
      } while stream.pointee.avail_out == 0
    }
  }
}
