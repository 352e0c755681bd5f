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

/// Decodes gzip: one or more members (RFC 1952 §2.2).
final class GzipDecoder: CodingDecoder {
  private enum Place {
    /// Before the first member.
    case start
    /// Inside a member.
    case member
    /// After a member.
    case between
    /// In zero bytes after the last member.
    case padding
  }

  private let inflation: Inflation
  private var place = Place.start

  init() throws(ContentDecodingError) { inflation = try Inflation(.gzip, .gzip) }

  var isAtEnd: Bool { place == .between || place == .padding }

  func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep {
    var step = DecodingStep()
    while true {
      switch place {
      case .start, .between:
        guard step.consumed < input.count else { return step }
        if place == .start || input[step.consumed] == 0x1F {
          if place == .between { inflation.restart() }
          place = .member
        } else {
          place = .padding
        }
      case .padding:
        guard input[step.consumed...].allSatisfy({ $0 == 0 }) else {
          step.failure = .trailingBytes(.gzip)
          return step
        }
        step.consumed = input.count
        return step
      case .member:
        switch inflation.run(input, into: output, &step) {
        case .more: return step
        case .end: place = .between
        case .failed(let failure):
          step.failure = failure
          return step
        }
      }
    }
  }
}

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
