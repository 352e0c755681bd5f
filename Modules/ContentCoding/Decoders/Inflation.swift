import CZlib
import CurlewCore

/// Owns one zlib stream and inflates it.
final class Inflation {
  /// The format of the stream's header.
  enum Format: CInt {
    case gzip = 31
    case zlib = 15
    case raw = -15
  }

  /// The result of one run.
  enum Outcome {
    case more
    case end
    case failed(ContentDecodingError)
  }

  private let stream: UnsafeMutablePointer<z_stream>
  private let coding: ContentCoding

  init(_ format: Format, _ coding: ContentCoding) throws(ContentDecodingError) {
    self.coding = coding
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // When it throws here, the object is complete, so its `deinit` runs.
    guard curlew_inflate_init(stream, format.rawValue) == Z_OK else { throw .outOfMemory(coding) }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Restarts for another stream of the same format.
  func restart() { inflateReset(stream) }

  /// Inflates, and adds the counts of consumed and produced bytes to `step`.
  func run(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, _ step: inout DecodingStep
  ) -> Outcome {
    // zlib counts in 32 bits; the next run consumes the rest.
    let offered = uInt(clamping: input.count - step.consumed)
    let room = uInt(clamping: output.count - step.produced)
    // zlib does not write to its input, although the type allows it.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress.map { ($0 + step.consumed).assumingMemoryBound(to: Bytef.self) })
    stream.pointee.avail_in = offered
    stream.pointee.next_out = output.baseAddress.map { ($0 + step.produced).assumingMemoryBound(to: Bytef.self) }
    stream.pointee.avail_out = room
    let result = inflate(stream, Z_NO_FLUSH)
    step.consumed += Int(offered - stream.pointee.avail_in)
    step.produced += Int(room - stream.pointee.avail_out)
    switch result {
    // `Z_BUF_ERROR`: the input or the room was used up.
    case Z_OK, Z_BUF_ERROR: return .more
    case Z_STREAM_END: return .end
    case Z_MEM_ERROR: return .failed(.outOfMemory(coding))
    case Z_NEED_DICT: return .failed(.damaged(coding, "it needs a preset dictionary"))
    default: return .failed(.damaged(coding, stream.pointee.msg.map { String(cString: $0) }))
    }
  }
}
