import CurlewCore
import FoundationEssentials
import HTTPTypes

/// A body whose content codings are undone by the task that reads it.
///
/// The transport's thread decodes nothing, and when a reader stops, the coded bytes stay in the socket.
// Safe because one task at a time reads a body, and only that task touches the decoder and the piece.
final class DecodedBody: ResponseBodySource, @unchecked Sendable {
  private let source: any ResponseBodySource
  private let decoder: ContentDecoder
  private let request: Request
  private let head: ResponseHead
  /// Whether a body of zero bytes is empty content instead of a truncated body.
  private let mayBeEmpty: Bool
  private var piece = OutputPiece()
  private let isCancelled = Guarded(false)

  init(
    _ source: any ResponseBodySource, _ decoder: ContentDecoder, _ request: Request, _ head: ResponseHead,
    mayBeEmpty: Bool
  ) {
    self.source = source
    self.decoder = decoder
    self.request = request
    self.head = head
    self.mayBeEmpty = mayBeEmpty
  }

  var trailers: HTTPFields? { source.trailers }

  func next() async throws -> Data? {
    let count = try await decode()
    return count == 0 ? nil : piece.take(count)
  }

  func cancel() {
    isCancelled.withLock { $0 = true }
    source.cancel()
  }

  func reject() async {
    isCancelled.withLock { $0 = true }
    await source.reject()
  }

  /// Decodes the next plain bytes into the piece.
  ///
  /// - Returns: The number of bytes; 0 at the end.
  private func decode() async throws -> Int {
    while true {
      // A few coded bytes may decode to many pieces. Meanwhile the source is not read and cannot report cancellation.
      if Task.isCancelled { source.cancel() }
      if Task.isCancelled || isCancelled.withLock({ $0 }) { throw CancellationError() }
      do throws(ContentDecodingError) {
        let count = try decoder.read(into: piece.room)
        if count > 0 { return count }
      } catch {
        throw await refused(error)
      }
      guard let chunk = try await source.next() else {
        try await finish()
        return 0
      }
      decoder.feed(chunk)
    }
  }

  private func finish() async throws {
    if decoder.bytesTaken == 0, mayBeEmpty { return }
    do throws(ContentDecodingError) { try decoder.finish() } catch { throw await refused(error) }
  }

  /// Rejects the body, so that caches remove it, and returns the error to throw.
  private func refused(_ error: ContentDecodingError) async -> NetworkError {
    await source.reject()
    return error.networkError.with { details in
      details.request = request
      details.response = head
      details.bytesReceived = decoder.bytesTaken
      details.maybeProcessed = true
    }
  }
}
