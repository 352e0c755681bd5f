import CZstd
import CurlewCore

/// Decodes zstd: one or more frames, including skippable ones (RFC 8878 §3).
final class ZstandardDecoder: CodingDecoder {
  private enum Place {
    /// Before the first frame.
    case start
    /// Inside a frame.
    case frame
    /// After a frame.
    case between
  }

  private let context: OpaquePointer
  private var place = Place.start
  /// The beginning of the frame, at most `headBytes`.
  private var head: [UInt8] = []
  /// The number of bytes the frame has produced.
  private var produced: UInt64 = 0
  /// The longest header of a frame (RFC 8878 §3.1.1.1).
  private static let headBytes = 18
  /// Whether libzstd may hold more output, because the last room was used up.
  private var isFull = false
  private let windowLog: Int

  init(windowLog: Int) throws(ContentDecodingError) {
    self.windowLog = windowLog
    guard let context = ZSTD_createDCtx() else { throw .outOfMemory(.zstd) }
    self.context = context
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, CInt(windowLog))
  }

  deinit { ZSTD_freeDCtx(context) }

  var isAtEnd: Bool { place == .between }

  func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep {
    var step = DecodingStep()
    while step.consumed < input.count || (place == .frame && isFull) {
      if place != .frame {
        // Formats older than RFC 8878, which the library may support, begin with another byte.
        let first = input[step.consumed]
        guard first == 0x28 || first & 0xF0 == 0x50 else {
          step.failure = place == .start ? .damaged(.zstd, "it does not begin with a frame") : .trailingBytes(.zstd)
          return step
        }
        place = .frame
        head.removeAll(keepingCapacity: true)
        produced = 0
      }
      var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: step.consumed)
      var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: step.produced)
      let result = ZSTD_decompressStream(context, &target, &source)
      let progress = source.pos - step.consumed + target.pos - step.produced
      if head.count < Self.headBytes {
        head += input[step.consumed..<source.pos].prefix(Self.headBytes - head.count)
      }
      produced += UInt64(target.pos - step.produced)
      step.consumed = source.pos
      step.produced = target.pos
      isFull = target.pos == target.size
      guard ZSTD_isError(result) == 0 else {
        step.failure = failure(result)
        return step
      }
      if result == 0 {
        place = .between
        guard hasStatedSize else {
          step.failure = .damaged(.zstd, "a frame does not have the size that it states")
          return step
        }
      }
      if isFull || progress == 0 { return step }
    }
    return step
  }

  /// Whether the finished frame has the size that its header states.
  ///
  /// libzstd does not check this when the last block is empty.
  private var hasStatedSize: Bool {
    // A skippable frame states 0, and the two largest numbers mean an unknown size and an error.
    let stated = ZSTD_getFrameContentSize(head, head.count)
    return stated == produced || stated >= .max - 1
  }

  private func failure(_ result: Int) -> ContentDecodingError {
    switch ZSTD_getErrorCode(result) {
    case ZSTD_error_memory_allocation: return .outOfMemory(.zstd)
    case ZSTD_error_frameParameter_windowTooLarge:
      return ContentDecodingError(
        .tooLargeWindow, .zstd,
        "The zstd content needs a window of more than \(1 << windowLog) bytes (ContentDecodingLimits.zstdWindow).")
    default: return .damaged(.zstd, ZSTD_getErrorName(result).map { String(cString: $0) })
    }
  }
}
