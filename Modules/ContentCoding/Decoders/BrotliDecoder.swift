import CBrotli
import CurlewCore

/// Decodes brotli: one stream (RFC 7932), with windows of at most 16 MB.
final class BrotliDecoder: CodingDecoder {
  private let state: OpaquePointer
  private(set) var isAtEnd = false

  init() throws(ContentDecodingError) {
    guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .outOfMemory(.brotli) }
    self.state = state
  }

  deinit { BrotliDecoderDestroyInstance(state) }

  func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep {
    var step = DecodingStep()
    if isAtEnd {
      if !input.isEmpty { step.failure = .trailingBytes(.brotli) }
      return step
    }
    var offered = input.count
    var room = output.count
    var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var place = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let result = BrotliDecoderDecompressStream(state, &offered, &next, &room, &place, nil)
    step.consumed = input.count - offered
    step.produced = output.count - room
    if result == BROTLI_DECODER_RESULT_SUCCESS {
      isAtEnd = true
    } else if result == BROTLI_DECODER_RESULT_ERROR {
      step.failure = failure
    }
    return step
  }

  private var failure: ContentDecodingError {
    let code = BrotliDecoderGetErrorCode(state)
    // The codes −21 to −30 mean missing memory; those above are format errors.
    if (-30 ... -21).contains(code.rawValue) { return .outOfMemory(.brotli) }
    return .damaged(.brotli, BrotliDecoderErrorString(code).map { String(cString: $0) })
  }
}
