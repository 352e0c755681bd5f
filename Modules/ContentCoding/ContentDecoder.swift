public import CurlewCore
public import FoundationEssentials

/// Undoes content codings: takes coded bytes and returns plain ones.
///
/// It performs no I/O and knows no response; `ContentDecoding` applies it to responses. Several codings are undone in
/// reverse order of application. Use it from one task at a time.
///
/// - gzip: all members, each checked against its CRC and length (RFC 1952 §2.2). Zero bytes after the last member are padding;
///   other bytes are an error, since they may be a damaged member.
/// - deflate: in the zlib format, or raw (without the zlib header), as some servers wrongly send it (RFC 9110 §8.4.1.2). No
///   bytes may follow the stream.
/// - brotli: one stream (RFC 7932). No bytes may follow it.
/// - zstd: all frames, including skippable ones; checksums are verified where present (RFC 8878).
///
/// ```swift
/// let decoder = try ContentDecoder([.gzip])
/// var plain = Data()
/// decoder.feed(bytes)
/// while let piece = try decoder.next() { plain.append(piece) }
/// try decoder.finish()
/// ```
public final class ContentDecoder {
  /// The maximum number of bytes that one call returns.
  ///
  /// It is also the size of the buffer between two codings.
  static let pieceBytes = 64 * 1024

  private let limits: ContentDecodingLimits
  /// The decoders in the order of use: that of the coding applied last comes first.
  private var stages: [DecodingStage] = []
  private var input = Data()
  private var failure: ContentDecodingError?
  /// The number of coded bytes consumed so far.
  public private(set) var bytesTaken: Int64 = 0

  /// The codings that have a decoder.
  public static let codings: [ContentCoding] = [.gzip, .deflate, .brotli, .zstd]

  /// Creates a decoder.
  ///
  /// - Parameters:
  ///   - codings: The codings in the order in which they were applied, at least one.
  ///   - limits: The limits that stop decompression bombs.
  /// - Throws: `ContentDecodingError` with the reason `unknownCoding`, `tooManyCodings` or `outOfMemory`.
  public init(
    _ codings: [ContentCoding], limits: ContentDecodingLimits = ContentDecodingLimits()
  ) throws(ContentDecodingError) {
    self.limits = limits
    guard codings.count <= limits.codings else {
      throw ContentDecodingError(
        .tooManyCodings, nil,
        "The body has \(codings.count) content codings; at most \(limits.codings) are allowed (ContentDecodingLimits.codings)."
      )
    }
    for coding in codings.reversed() {
      stages.append(DecodingStage(coding, try Self.decoder(of: coding, limits)))
    }
    guard !stages.isEmpty else {
      throw ContentDecodingError(.unknownCoding, nil, "The list of content codings is empty; name at least one.")
    }
  }

  private static func decoder(
    of coding: ContentCoding, _ limits: ContentDecodingLimits
  ) throws(ContentDecodingError) -> any CodingDecoder {
    switch coding {
    case .gzip: try GzipDecoder()
    case .deflate: DeflateDecoder()
    case .brotli: try BrotliDecoder()
    case .zstd: try ZstandardDecoder(windowLog: limits.zstdWindowLog)
    default:
      throw ContentDecodingError(.unknownCoding, coding, "There is no decoder for the content coding \(coding).")
    }
  }

  /// Whether coded bytes are waiting to be decoded.
  public var holdsInput: Bool { !input.isEmpty }

  /// Adds coded bytes; those not yet consumed stay in front of them.
  public func feed(_ bytes: Data) {
    if input.isEmpty { input = bytes } else { input.append(bytes) }
  }

  /// Returns the next plain bytes, at most 64 kB.
  ///
  /// Nil when more coded bytes are needed or the content has ended.
  ///
  /// - Throws: `ContentDecodingError`; after a failure, every call throws the same error.
  public func next() throws(ContentDecodingError) -> Data? {
    var piece = OutputPiece()
    let count = try read(into: piece.room)
    return count == 0 ? nil : piece.take(count)
  }

  /// Decodes into the given memory.
  ///
  /// - Returns: The number of bytes written; 0 when more coded bytes are needed.
  func read(into output: UnsafeMutableRawBufferPointer) throws(ContentDecodingError) -> Int {
    if let failure { throw failure }
    do {
      return try run(stages.count - 1, into: output)
    } catch {
      failure = error
      input = Data()
      throw error
    }
  }

  /// Declares the end of the coded bytes; call it when `next` returns nil.
  ///
  /// - Throws: `ContentDecodingError` with the reason `cut` unless every coding has reached its end mark, even if no byte was
  ///   fed; after a failure of `next`, that error again.
  public func finish() throws(ContentDecodingError) {
    if let failure { throw failure }
    for stage in stages where !stage.decoder.isAtEnd { throw .cut(stage.coding) }
  }

  /// Runs one decoder; if it needs input, runs the decoder that supplies it first.
  private func run(
    _ index: Int, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentDecodingError) -> Int {
    while true {
      let result = index == 0 ? step(into: output) : stages[index].step(into: output)
      if let failure = result.failure { throw failure }
      if result.produced > 0 {
        stages[index].produced += Int64(result.produced)
        try check(index)
        return result.produced
      }
      if result.consumed > 0 { continue }
      guard index > 0 else { return 0 }
      let room = stages[index].room
      let count = try run(index - 1, into: room)
      if count == 0 { return 0 }
      stages[index].waiting = 0..<count
    }
  }

  /// Runs the outermost coding on the input.
  private func step(into output: UnsafeMutableRawBufferPointer) -> DecodingStep {
    let result = input.withUnsafeBytes { stages[0].decoder.decode($0, into: output) }
    bytesTaken += Int64(result.consumed)
    if result.consumed == input.count {
      input = Data()
    } else if result.consumed > 0 {
      input = input.dropFirst(result.consumed)
    }
    return result
  }

  private func check(_ index: Int) throws(ContentDecodingError) {
    let stage = stages[index]
    if let most = limits.output, index == stages.count - 1, stage.produced > most {
      throw ContentDecodingError(
        .tooMuchOutput, stage.coding,
        "The \(stage.coding) content decodes to more than \(most) bytes (ContentDecodingLimits.output).")
    }
    guard stage.produced > limits.allowance else { return }
    let (most, overflows) = bytesTaken.multipliedReportingOverflow(by: Int64(max(1, limits.ratio)))
    guard overflows || stage.produced <= most else {
      throw ContentDecodingError(
        .tooHighRatio, stage.coding,
        "\(bytesTaken) bytes of \(stage.coding) content decode to more than \(stage.produced - 1) bytes; above \(limits.allowance) bytes, at most \(limits.ratio) per coded byte are allowed (ContentDecodingLimits.ratio)."
      )
    }
  }
}

/// One of several codings, with the bytes that wait for the next one.
private struct DecodingStage {
  let coding: ContentCoding
  let decoder: any CodingDecoder
  /// The number of bytes that this stage has produced.
  var produced: Int64 = 0
  /// The range of `memory` that the next stage has not consumed yet.
  var waiting = 0..<0
  private var memory: Memory?

  init(_ coding: ContentCoding, _ decoder: any CodingDecoder) {
    self.coding = coding
    self.decoder = decoder
  }

  /// The memory to which the coding outside this one writes its output.
  var room: UnsafeMutableRawBufferPointer {
    mutating get {
      let memory = memory ?? Memory()
      self.memory = memory
      return memory.bytes
    }
  }

  mutating func step(into output: UnsafeMutableRawBufferPointer) -> DecodingStep {
    let bytes = memory.map { UnsafeRawBufferPointer(rebasing: $0.bytes[waiting]) }
    let result = decoder.decode(bytes ?? UnsafeRawBufferPointer(start: nil, count: 0), into: output)
    waiting = (waiting.lowerBound + result.consumed)..<waiting.upperBound
    return result
  }

  private final class Memory {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: ContentDecoder.pieceBytes, alignment: 16)
    deinit { bytes.deallocate() }
  }
}

/// Undoes one coding with the library for it.
protocol CodingDecoder: AnyObject {
  /// Decodes as much input as fits into the output.
  ///
  /// A step that neither consumes nor produces a byte means that more input is needed. The input may be empty, to get output
  /// that the library still buffers.
  func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep

  /// Whether the input may end here.
  var isAtEnd: Bool { get }
}

/// The result of one call of a decoder.
struct DecodingStep {
  var consumed = 0
  var produced = 0
  var failure: ContentDecodingError?
}

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
