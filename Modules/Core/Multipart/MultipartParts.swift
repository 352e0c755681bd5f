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

/// The state that the parts of one body share: iterator and reader.
final class MultipartFeed<Source: AsyncSequence> where Source.Element == Data {
  /// The iterator; nil during a read, so that a second read is rejected.
  private var source: Source.AsyncIterator?
  private var reader: MultipartReader
  private var part = 0
  private var partIsOpen = false

  init(source: Source.AsyncIterator, reader: MultipartReader) {
    self.source = source
    self.reader = reader
  }

  /// The number of bytes of the body that were delivered.
  var position: Int { reader.position }

  func nextPart(isolation actor: isolated (any Actor)?) async throws -> MultipartPart<Source>? {
    part += 1
    partIsOpen = false
    while let event = try await nextEvent(isolation: actor) {
      if case .partBegan(let fields) = event {
        partIsOpen = true
        return MultipartPart(fields: fields, body: MultipartPart.Body(feed: self, part: part))
      }
    }
    return nil
  }

  func nextBytes(ofPart number: Int, isolation actor: isolated (any Actor)?) async throws -> Data? {
    guard number == part else { throw MultipartError(.partPassed, at: reader.position) }
    guard partIsOpen else { return nil }
    guard case .body(let bytes) = try await nextEvent(isolation: actor) else {
      partIsOpen = false
      return nil
    }
    return bytes
  }

  private func nextEvent(isolation actor: isolated (any Actor)?) async throws -> MultipartReader.Event? {
    while true {
      guard var source else { throw MultipartError(.overlappingRead, at: reader.position) }
      if let event = try reader.next() { return event }
      if reader.isFinished { return nil }
      self.source = nil
      defer { self.source = source }
      if let chunk = try await source.next(isolation: actor) {
        reader.feed(chunk)
      } else {
        reader.end()
      }
    }
  }
}
