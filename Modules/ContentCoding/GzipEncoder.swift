import CZlib
public import CurlewCore
public import FoundationEssentials
import HTTPTypes

/// Writes one gzip member (RFC 1952) with zlib.
final class GzipEncoder {
  /// zlib's `windowBits`: 15 for a window of 32 kB, plus 16 for the gzip format.
  private static let gzipWindow: CInt = 31
  private static let pieceBytes = 32_768

  private let stream: UnsafeMutablePointer<z_stream>
  private var room: [UInt8] = []

  /// Creates an encoder.
  ///
  /// - Parameter level: The effort, 1 (fast) to 9 (small); other values count as the nearest of these.
  /// - Throws: `ContentEncodingError` when there is no memory.
  init(level: Int) throws(ContentEncodingError) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // When it throws here, the object is complete, so its `deinit` runs.
    guard curlew_deflate_init(stream, CInt(min(max(1, level), 9)), Self.gzipWindow) == Z_OK else {
      throw ContentEncodingError()
    }
    // Only now: Swift ends the process when it has no memory for an array.
    room = [UInt8](repeating: 0, count: Self.pieceBytes)
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Compresses bytes and returns the output that is ready, which is often empty.
  func encode(_ bytes: Data) -> Data {
    bytes.withUnsafeBytes { bytes in
      var output = Data()
      var start = 0
      // zlib counts in 32 bits.
      while start < bytes.count {
        let piece = bytes[start..<min(bytes.count, start + (1 << 30))]
        run(UnsafeRawBufferPointer(rebasing: piece), Z_NO_FLUSH, into: &output)
        start = piece.endIndex
      }
      return output
    }
  }

  /// Ends the member and returns its remaining bytes.
  func finish() -> Data {
    var output = Data()
    run(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH, into: &output)
    return output
  }

  private func run(_ input: UnsafeRawBufferPointer, _ flush: CInt, into output: inout Data) {
    // zlib does not write to its input, although the type allows it.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: Bytef.self))
    stream.pointee.avail_in = uInt(clamping: input.count)
    room.withUnsafeMutableBufferPointer { room in
      repeat {
        stream.pointee.next_out = room.baseAddress
        stream.pointee.avail_out = uInt(clamping: room.count)
        // `Z_BUF_ERROR` says that there was nothing to do; deflate fails in no other way with a valid stream.
        deflate(stream, flush)
        output.append(contentsOf: room.prefix(room.count - Int(stream.pointee.avail_out)))
      } while stream.pointee.avail_out == 0
    }
  }
}

/// The error that is thrown when there is no memory for an encoder.
public struct ContentEncodingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A sentence that describes the error.
  public var description: String { "There is not enough memory for the gzip encoder." }
}

extension ContentEncodingError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}

extension Body {
  /// Returns this body coded with gzip (RFC 9110 §8.4.1.3).
  ///
  /// It sets no field; `Request.compressBody` also sets `Content-Encoding`. Bytes in memory are coded at once, so that their
  /// length is known. A file or a stream is coded while it is sent: its coded length is unknown, so the transport must have the
  /// capability `streamedUploads`, and memory use does not grow with its length. The result can be sent again if this body can.
  ///
  /// - Parameter level: The effort, 1 (fast) to 9 (small); other values count as the nearest of these.
  /// - Throws: `ContentEncodingError` when there is no memory.
  public func gzipped(level: Int = 6) throws(ContentEncodingError) -> Body {
    switch source {
    case .empty: return self
    case .bytes(let data):
      let encoder = try GzipEncoder(level: level)
      return .bytes(encoder.encode(data) + encoder.finish())
    case .file(let region):
      return .stream(replayable: true) { try GzipChunks(FileChunks(region), nil, level: level) }
    case .stream(let stream):
      return .stream(replayable: stream.replayable) { try await GzipChunks(stream.make(), stream.length, level: level) }
    }
  }
}

extension Request {
  /// Codes the body with gzip and sets `Content-Encoding`, if that makes it smaller.
  ///
  /// Use it only for a server that is known to accept gzip, because a client cannot ask before it sends a request. A request
  /// without a body, or with `Content-Encoding`, stays unchanged.
  ///
  /// - Parameter level: The effort, 1 (fast) to 9 (small); other values count as the nearest of these.
  /// - Throws: `ContentEncodingError` when there is no memory.
  public mutating func compressBody(level: Int = 6) throws(ContentEncodingError) {
    guard !body.isEmpty, headerFields[.contentEncoding] == nil else { return }
    let coded = try body.gzipped(level: level)
    if let before = body.length, let after = coded.length, after >= before { return }
    body = coded
    headerFields[.contentEncoding] = ContentCoding.gzip.rawValue
  }
}

/// Compresses the chunks of another source with gzip.
private final class GzipChunks: BodyChunks, @unchecked Sendable {  // Safe because one task reads.
  private let source: any BodyChunks
  /// The bytes that are still to come; nil if their number is not announced.
  private var left: Int64?
  private let encoder: GzipEncoder
  private var isFinished = false

  init(_ source: any BodyChunks, _ length: Int64?, level: Int) throws(ContentEncodingError) {
    self.source = source
    left = length
    encoder = try GzipEncoder(level: level)
  }

  func next() async throws -> Data? {
    guard !isFinished else { return nil }
    while let chunk = try await source.next() {
      left? -= Int64(chunk.count)
      if left ?? 0 < 0 { throw Self.mismatch }
      let coded = encoder.encode(chunk)
      if !coded.isEmpty { return coded }
    }
    // The end of a coded body would make a part of it look whole.
    if left ?? 0 > 0 { throw Self.mismatch }
    isFinished = true
    return encoder.finish()
  }

  private static let mismatch = NetworkError(
    .bodyLengthMismatch, stage: .sending, message: "The source of the body produced more or fewer bytes than announced."
  )
}

/// Reads a region of a file in chunks.
private final class FileChunks: BodyChunks {
  private static let chunkBytes = 65_536
  private let reader: FileBodyReader

  init(_ region: Body.FileRegion) throws(NetworkError) { reader = try FileBodyReader(region) }

  func next() async throws -> Data? {
    var data = Data(count: Self.chunkBytes)
    let count = try data.withUnsafeMutableBytes { try reader.read(into: $0) }
    return count > 0 ? data.prefix(count) : nil
  }
}
