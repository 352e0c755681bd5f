import CurlewCore
public import FoundationEssentials

/// The bytes of a successful response, in chunks as they arrive.
///
/// The request is sent when the first chunk is requested, once for each iterator. Bytes stay in the socket until they are
/// requested. Releasing the iterator ends the transfer.
public struct ResponseChunks: AsyncSequence, Sendable {
  /// A nonempty chunk of bytes.
  public typealias Element = Data

  let session: HTTPSession
  let call: Call

  /// Starts reading the response.
  public func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

  /// Iterates over the chunks.
  public struct Iterator: AsyncIteratorProtocol {
    private let chunks: ResponseChunks
    private var body: ResponseBody.Iterator?
    private var isFinished = false

    init(chunks: ResponseChunks) { self.chunks = chunks }

    /// Returns the next bytes; nil at the end and after an error.
    ///
    /// - Throws: `NetworkError`; `CancellationError`.
    public mutating func next() async throws -> Data? {
      guard !isFinished else { return nil }
      do {
        if body == nil { body = try await chunks.session.streamed(chunks.call).body.makeAsyncIterator() }
        if let chunk = try await body?.next() { return chunk }
      } catch {
        finish()
        throw chunks.session.core.reported(error)
      }
      finish()
      return nil
    }

    private mutating func finish() {
      isFinished = true
      body = nil
    }
  }
}
