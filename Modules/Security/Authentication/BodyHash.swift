import CurlewCore
import CurlewDigests
import FoundationEssentials

/// The hash of a request's body, for Digest with integrity (RFC 7616 §3.4.3).
enum BodyHash {
  private static let chunkSize = 65_536

  /// Reads the body once, without keeping it.
  ///
  /// - Throws: `NetworkError` of kind `fileError`, `bodySourceFailed`, or `authenticationFailed` without the algorithm;
  ///   `CancellationError`.
  static func of(_ body: Body, _ algorithm: DigestAlgorithm) async throws -> String {
    let digest: Digest
    do throws(DigestError) {
      digest = try Digest(algorithm)
    } catch {
      throw CredentialError.unavailableHash(algorithm.name).networkError
    }
    switch body.source {
    case .empty: break
    case .bytes(let data): digest.update(data)
    case .file(let region): try await add(region, to: digest)
    case .stream(let stream): try await add(stream, to: digest)
    }
    return digest.finish().hexadecimal
  }

  private static func add(_ region: Body.FileRegion, to digest: Digest) async throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkSize, alignment: 16)
    defer { buffer.deallocate() }
    do {
      let file = try LocalFileSystem().open(region.path, .read)
      var offset = region.offset
      var left = region.length
      while left > 0 {
        try Task.checkCancellation()
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(min(left, Int64(chunkSize)))))
        let count = try file.read(into: part, at: offset)
        // A file that became shorter is the transport's to refuse.
        guard count > 0 else { break }
        digest.update(UnsafeRawBufferPointer(rebasing: part.prefix(count)))
        offset += Int64(count)
        left -= Int64(count)
        await Task.yield()
      }
      try file.close()
    } catch let error as FileSystemError {
      throw NetworkError(
        .fileError, stage: .preparing, message: "The body's file cannot be read.", underlying: error)
    }
  }

  private static func add(_ stream: Body.Stream, to digest: Digest) async throws {
    do {
      let chunks = try await stream.make()
      while let chunk = try await chunks.next() {
        digest.update(chunk)
        try Task.checkCancellation()
      }
    } catch let error as CancellationError {
      throw error
    } catch {
      throw NetworkError(
        .bodySourceFailed, stage: .preparing, message: "The source of the request's body failed.", underlying: error)
    }
  }
}
