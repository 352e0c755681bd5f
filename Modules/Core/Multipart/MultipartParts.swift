public import FoundationEssentials

/// The parts of a multipart body, one after the other, as its chunks arrive.
///
/// A thin async form of ``MultipartReader``. It is read once, and so is the body of each part: asking for the next part
/// skips what was not read of the one before, and a body asked for too late throws
/// ``MultipartError/Kind/partPassed``.
///
/// ```swift
/// for try await part in try MultipartParts(response.body, boundary: boundary) {
///   let name = part.fields[.contentDisposition]
///   for try await bytes in part.body { … }
/// }
/// ```
///
/// The sequence ends at the closing delimiter; what the source holds after that is not read. Iterating throws what the
/// source throws, and ``MultipartError`` when the body is malformed, passes a limit or is cut.
public struct MultipartParts<Source: AsyncSequence>: AsyncSequence where Source.Element == Data {
  /// A part, with its body still to be read.
  public typealias Element = MultipartPart<Source>
  /// Errors of the source, or ``MultipartError``.
  public typealias Failure = any Error

  private let source: Source
  private let reader: MultipartReader

  /// Creates the sequence of the parts in a source of chunks.
  ///
  /// - Parameters:
  ///   - source: The body; its chunks may be cut anywhere.
  ///   - boundary: The value of the parameter of `Content-Type`, without quotes.
  ///   - limits: What is refused as too much.
  /// - Throws: ``MultipartError/Kind/invalidBoundary``.
  public init(
    _ source: Source, boundary: String, limits: MultipartReader.Limits = MultipartReader.Limits()
  ) throws(MultipartError) {
    self.source = source
    self.reader = try MultipartReader(boundary: boundary, limits: limits)
  }

  /// Begins to read the source.
  ///
  /// A source that can be read once gives one iterator that works.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(feed: MultipartFeed(source: source.makeAsyncIterator(), reader: reader))
  }

  /// Goes from part to part.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let feed: MultipartFeed<Source>

    /// Skips the rest of the current part and returns the next; nil after the last.
    ///
    /// - Throws: What the source throws, or ``MultipartError``.
    public mutating func next() async throws -> Element? {
      try await next(isolation: nil)
    }

    /// Skips the rest of the current part and returns the next; nil after the last.
    ///
    /// - Throws: What the source throws, or ``MultipartError``.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
      try await feed.nextPart(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension MultipartParts.AsyncIterator: Sendable {}
extension MultipartParts: Sendable where Source: Sendable {}
