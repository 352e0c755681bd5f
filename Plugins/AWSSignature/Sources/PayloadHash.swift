import CurlewCore
import CurlewDigests
import FoundationEssentials

/// The hash of a request's content, as it is signed.
enum PayloadHash {
  static let unsigned = "UNSIGNED-PAYLOAD"
  private static let chunkSize = 65_536

  /// Reads the content once and returns its SHA-256 in hexadecimal.
  ///
  /// - Throws: `NetworkError` of kind `bodyNotReplayable` for content that can be read only once; `DigestError`; the errors of the
  ///   source; `CancellationError`.
  static func of(_ body: Body) async throws -> String {
    let digest = try Digest(.sha256)
    switch body.source {
    case .empty: break
    case .bytes(let data): digest.update(data)
    case .file(let region): try await add(region, to: digest)
    case .stream(let stream):
      guard stream.replayable else {
        throw NetworkError(
          .bodyNotReplayable, stage: .preparing,
          message: "The body can be read only once, and its hash is signed before it is sent.",
          advice: "Choose the payload `.unsigned`, set X-Amz-Content-Sha256, or make the body replayable.")
      }
      let chunks = try await stream.make()
      while let chunk = try await chunks.next() {
        digest.update(chunk)
        try Task.checkCancellation()
      }
    }
    return try digest.finish().hexadecimal
  }

  private static func add(_ region: Body.FileRegion, to digest: Digest) async throws {
    let reader = try FileBodyReader(region)
    var buffer = [UInt8](repeating: 0, count: chunkSize)
    while true {
      let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
      guard count > 0 else { return }
      buffer.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}
