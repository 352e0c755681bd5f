import CurlewCore
import CurlewDigests
import FoundationEssentials
import HTTPTypes

/// A response body whose hash is checked when it ends.
// Safe because one task at a time reads a body, and only that task, or the sink it waits for, touches the digest.
final class RspauthCheckedBody: ResponseBodySource, @unchecked Sendable {
  private let source: any ResponseBodySource
  private let digest: Digest
  private let check: @Sendable (String) throws -> Void

  init(_ source: any ResponseBodySource, _ digest: Digest, check: @escaping @Sendable (String) throws -> Void) {
    self.source = source
    self.digest = digest
    self.check = check
  }

  var trailers: HTTPFields? { source.trailers }

  func next() async throws -> Data? {
    guard let chunk = try await source.next() else {
      try check(digest.finish().hexadecimal)
      return nil
    }
    digest.update(chunk)
    return chunk
  }

  func drain(into sink: any BodySink) async throws {
    try await source.drain(into: HashingSink(sink, digest))
    try check(digest.finish().hexadecimal)
  }

  func cancel() { source.cancel() }

  func reject() async { await source.reject() }
}

/// Hashes the bytes that it passes on.
// Safe because a sink is called by one thread at a time.
private final class HashingSink: BodySink, @unchecked Sendable {
  private let sink: any BodySink
  private let digest: Digest

  init(_ sink: any BodySink, _ digest: Digest) {
    self.sink = sink
    self.digest = digest
  }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    digest.update(bytes)
    return try sink.receive(bytes)
  }

  func ready() async throws { try await sink.ready() }
}
