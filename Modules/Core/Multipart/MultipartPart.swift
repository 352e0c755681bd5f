public import FoundationEssentials
public import HTTPTypes

/// One part of a multipart body; its bytes can be read once.
public struct MultipartPart<Source: AsyncSequence> where Source.Element == Data {
  /// The header fields as sent; may be empty.
  public let fields: HTTPFields
  /// The bytes as they arrive; read them before requesting the next part.
  public let body: Body

  /// The bytes of a part in nonempty chunks; a single-pass sequence.
  public struct Body: AsyncSequence {
    /// Some bytes of the body; their indices begin at 0.
    public typealias Element = Data
    /// The errors of the source, and ``MultipartError``.
    public typealias Failure = any Error

    let feed: MultipartFeed<Source>
    let part: Int

    /// Creates an iterator that continues where the last read ended.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(feed: feed, part: part)
    }

    /// Collects the rest of the body.
    ///
    /// - Parameter limit: The most bytes to collect.
    /// - Throws: ``MultipartError/Kind/bodyTooLong`` beyond the limit; the errors of iterating.
    public func collect(upTo limit: Int, isolation actor: isolated (any Actor)? = #isolation) async throws -> Data {
      var collected = Data()
      while let chunk = try await feed.nextBytes(ofPart: part, isolation: actor) {
        guard chunk.count <= limit - collected.count else {
          throw MultipartError(.bodyTooLong, at: feed.position)
        }
        collected.append(chunk)
      }
      return collected
    }

    /// Reads the bytes of one part.
    public struct AsyncIterator: AsyncIteratorProtocol {
      let feed: MultipartFeed<Source>
      let part: Int
      private var isAtEnd = false

      init(feed: MultipartFeed<Source>, part: Int) {
        self.feed = feed
        self.part = part
      }

      /// Returns the next bytes; nil at the end of the part.
      ///
      /// - Throws: The errors of the source, and ``MultipartError``.
      public mutating func next() async throws -> Data? {
        try await next(isolation: nil)
      }

      /// Returns the next bytes; nil at the end of the part.
      ///
      /// - Throws: The errors of the source, and ``MultipartError``.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
        guard !isAtEnd else { return nil }
        let bytes = try await feed.nextBytes(ofPart: part, isolation: actor)
        isAtEnd = bytes == nil
        return bytes
      }
    }
  }
}

@available(*, unavailable)
extension MultipartPart: Sendable {}
@available(*, unavailable)
extension MultipartPart.Body: Sendable {}
@available(*, unavailable)
extension MultipartPart.Body.AsyncIterator: Sendable {}
