public import FoundationEssentials
public import HTTPTypes

/// One part of a multipart body: its header fields, and its bytes once.
public struct MultipartPart<Source: AsyncSequence> where Source.Element == Data {
  /// The header fields, as they were sent; none is allowed.
  public let fields: HTTPFields
  /// The bytes, as they arrive; read it before the next part is asked for.
  public let body: Body

  /// The bytes of a part, in chunks of at least one byte; a single-pass sequence.
  public struct Body: AsyncSequence {
    /// Some bytes of the body; the indices begin at 0.
    public typealias Element = Data
    /// Errors of the source, or ``MultipartError``.
    public typealias Failure = any Error

    let feed: MultipartFeed<Source>
    let part: Int

    /// Goes on where the body was read to.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(feed: feed, part: part)
    }

    /// Collects what is left of the body.
    ///
    /// - Parameter limit: The most bytes that are taken.
    /// - Throws: ``MultipartError/Kind/bodyTooLong`` beyond the limit; else what iterating throws.
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
      /// - Throws: What the source throws, or ``MultipartError``.
      public mutating func next() async throws -> Data? {
        try await next(isolation: nil)
      }

      /// Returns the next bytes; nil at the end of the part.
      ///
      /// - Throws: What the source throws, or ``MultipartError``.
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
