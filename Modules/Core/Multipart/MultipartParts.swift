public import FoundationEssentials

/// The parts of a multipart body in order, as its chunks arrive.
///
/// This is an async form of ``MultipartReader``. The sequence and the body of each part can be read once. Requesting the next
/// part skips the unread rest of the current one; reading a body later throws ``MultipartError/Kind/partPassed``.
///
/// ```swift
/// for try await part in try MultipartParts(response.body, boundary: boundary) {
///   let name = part.fields[.contentDisposition]
///   for try await bytes in part.body { … }
/// }
/// ```
///
/// The sequence ends at the closing delimiter and does not read what follows it. Iterating throws the errors of the source,
/// and ``MultipartError`` when the body is malformed, exceeds a limit or is truncated.
public struct MultipartParts<Source: AsyncSequence>: AsyncSequence where Source.Element == Data {
  /// A part whose body can still be read.
  public typealias Element = MultipartPart<Source>
  /// The errors of the source, and ``MultipartError``.
  public typealias Failure = any Error

  private let source: Source
  private let reader: MultipartReader

  /// Creates the sequence of the parts in a source of chunks.
  ///
  /// - Parameters:
  ///   - source: The body, in chunks of any size.
  ///   - boundary: The value of the `boundary` parameter of `Content-Type`, without quotes.
  ///   - limits: The limits beyond which reading fails.
  /// - Throws: ``MultipartError/Kind/invalidBoundary``.
  public init(
    _ source: Source, boundary: String, limits: MultipartReader.Limits = MultipartReader.Limits()
  ) throws(MultipartError) {
    self.source = source
    self.reader = try MultipartReader(boundary: boundary, limits: limits)
  }

  /// Starts reading the source.
  ///
  /// If the source can be read once, only the first iterator works.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(feed: MultipartFeed(source: source.makeAsyncIterator(), reader: reader))
  }

  /// Iterates over the parts.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let feed: MultipartFeed<Source>

    /// Skips the rest of the current part and returns the next; nil after the last.
    ///
    /// - Throws: The errors of the source, and ``MultipartError``.
    public mutating func next() async throws -> Element? {
      try await next(isolation: nil)
    }

    /// Skips the rest of the current part and returns the next; nil after the last.
    ///
    /// - Throws: The errors of the source, and ``MultipartError``.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
      try await feed.nextPart(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension MultipartParts.AsyncIterator: Sendable {}
extension MultipartParts: Sendable where Source: Sendable {}
