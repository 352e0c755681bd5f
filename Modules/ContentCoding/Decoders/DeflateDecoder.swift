import CurlewCore

/// Decodes deflate, with or without the zlib header (RFC 9110 §8.4.1.2).
///
/// Some servers omit the header. The first two bytes tell the formats apart: a zlib header declares method 8 and a window of
/// at most 32 kB, and its two bytes, read as one number, are a multiple of 31 (RFC 1950 §2.2). Raw deflate with the same first
/// byte would begin with a stored block whose padding is not zero, which no encoder writes.
final class DeflateDecoder: CodingDecoder {
  private var inflation: Inflation?
  /// The first byte, held back until the second one arrives.
  private var first: UInt8?
  private var hasEnded = false

  var isAtEnd: Bool { hasEnded }

  func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep {
    var step = DecodingStep()
    if hasEnded {
      if !input.isEmpty { step.failure = .trailingBytes(.deflate) }
      return step
    }
    if let inflation { return inflate(inflation, input, output) }
    guard let head = first ?? input.first else { return step }
    guard let second = first == nil ? input.dropFirst().first : input.first else {
      if first == nil {
        first = head
        step.consumed = 1
      }
      return step
    }
    let isZlib = head & 0x0F == 8 && head >> 4 <= 7 && (UInt16(head) << 8 | UInt16(second)) % 31 == 0
    let new: Inflation
    do throws(ContentDecodingError) {
      new = try Inflation(isZlib ? .zlib : .raw, .deflate)
    } catch {
      step.failure = error
      return step
    }
    inflation = new
    if first != nil {
      // The byte that was held back is decoded first; one byte of either format produces no output.
      var early = DecodingStep()
      let outcome = withUnsafeBytes(of: head) { new.run($0, into: output, &early) }
      if case .failed(let failure) = outcome {
        step.failure = failure
        return step
      }
      if case .end = outcome { hasEnded = true }
    }
    return inflate(new, input, output)
  }

  private func inflate(
    _ inflation: Inflation, _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer
  ) -> DecodingStep {
    var step = DecodingStep()
    switch inflation.run(input, into: output, &step) {
    case .more: break
    case .end: hasEnded = true
    case .failed(let failure): step.failure = failure
    }
    return step
  }
}
