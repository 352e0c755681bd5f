public import CurlewCore
import FoundationEssentials
import HTTPTypes

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
      return .stream(replayable: true) { try GzipChunks(FileChunks(region), level: level) }
    case .stream(let stream):
      return .stream(replayable: stream.replayable) { try await GzipChunks(stream.make(), level: level) }
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
  private let encoder: GzipEncoder
  private var isFinished = false

  init(_ source: any BodyChunks, level: Int) throws(ContentEncodingError) {
    self.source = source
    encoder = try GzipEncoder(level: level)
  }

  func next() async throws -> Data? {
    guard !isFinished else { return nil }
    while let chunk = try await source.next() {
      let coded = encoder.encode(chunk)
      if !coded.isEmpty { return coded }
    }
    isFinished = true
    return encoder.finish()
  }
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
