import CurlewCore
import CurlewDigests
import FoundationEssentials

/// The hash of a request's body, for Digest with integrity (RFC 7616 §3.4.3).
enum BodyHash {
  private static let chunkSize = 65_536

  /// Reads the body once and returns its hash in hexadecimal.
  ///
  /// - Throws: `NetworkError` of kind `bodySourceFailed`, or of kind `authenticationFailed` when OpenSSL lacks the
  ///   algorithm or has no memory; the errors of `FileBodyReader`; `CancellationError`.
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
    do throws(DigestError) {
      return try digest.finish().hexadecimal
    } catch {
      throw CredentialError.unavailableHash(algorithm.name).networkError
    }
  }

  private static func add(_ region: Body.FileRegion, to digest: Digest) async throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkSize, alignment: 16)
    defer { buffer.deallocate() }
    let reader = try FileBodyReader(region)
    while case let count = try reader.read(into: buffer), count > 0 {
      try Task.checkCancellation()
      digest.update(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
      await Task.yield()
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
