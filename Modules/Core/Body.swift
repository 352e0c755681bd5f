public import FoundationEssentials

/// The content of a request.
///
/// A body knows its length where it can, and whether it can be sent again. A retry, a redirect or a challenge that needs
/// a second copy of a one-shot body asks `ExchangeHooks.newBody` and else fails with a typed error; half a body is never
/// sent.
public struct Body: Sendable {
  /// Where the bytes come from.
  public enum Source: Sendable {
    /// There is no content.
    case empty
    /// Bytes in memory.
    case bytes(Data)
    /// A part of a file, opened when it is sent.
    case file(FileRegion)
    /// Chunks made while they are sent.
    case stream(Stream)
  }

  /// A part of a file.
  public struct FileRegion: Sendable, Hashable {
    /// The file's path.
    public var path: String
    /// The first byte, 0….
    public var offset: Int64
    /// How many bytes.
    public var length: Int64
    /// How long the file as a whole was; when it is sent it must still be so.
    public var fileLength: Int64
  }

  /// A source of chunks.
  public struct Stream: Sendable {
    /// How many bytes all chunks make together; nil when unknown.
    public var length: Int64?
    /// Whether `make` may be called again for the same bytes.
    public var replayable: Bool
    /// Starts the source. Called once for each time the body is sent.
    public var make: @Sendable () async throws -> any BodyChunks
  }

  /// Where the bytes come from.
  public let source: Source

  /// No content; no length is announced for methods that need none.
  public static var empty: Body { Body(source: .empty) }

  /// Bytes in memory.
  public static func bytes(_ data: Data) -> Body { Body(source: .bytes(data)) }

  /// Text, as UTF-8.
  public static func text(_ text: String) -> Body { Body(source: .bytes(Data(text.utf8))) }

  /// A file, or a range of its bytes; opened when it is sent, so that it costs no memory.
  ///
  /// The length is fixed now: a file whose length is another when it is sent ends in `bodyLengthMismatch`.
  ///
  /// - Parameters:
  ///   - url: A `file` URL.
  ///   - range: Byte offsets, inside the file; nil is all of it.
  /// - Throws: `NetworkError` of kind `fileError` when the file is not there or not a regular one, or the range leaves it.
  public static func file(_ url: URL, range: Range<Int64>? = nil) throws(NetworkError) -> Body {
    try Body(source: .file(FileRegion(url, range: range)))
  }

  /// Chunks made while they are sent.
  ///
  /// - Parameters:
  ///   - length: The exact number of bytes; nil sends them chunked (HTTP/1.1) or without a length (HTTP/2). A source
  ///     that makes more or fewer ends in `bodyLengthMismatch`.
  ///   - replayable: Whether `make` may be called again for the same bytes.
  ///   - make: Starts the source; may throw, which ends the request with `bodySourceFailed`.
  public static func stream(
    length: Int64? = nil, replayable: Bool, make: @escaping @Sendable () async throws -> any BodyChunks
  ) -> Body {
    Body(source: .stream(Stream(length: length, replayable: replayable, make: make)))
  }

  /// Chunks of a sequence that can be walked only once.
  public static func stream<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, length: Int64? = nil) -> Body
  where Chunks.Element == Data {
    .stream(length: length, replayable: false) { AsyncBodyChunks(chunks) }
  }

  /// How many bytes it is; nil when unknown.
  public var length: Int64? {
    switch source {
    case .empty: 0
    case .bytes(let data): Int64(data.count)
    case .file(let region): region.length
    case .stream(let stream): stream.length
    }
  }

  /// Whether it can be sent again.
  public var isReplayable: Bool {
    switch source {
    case .empty, .bytes, .file: true
    case .stream(let stream): stream.replayable
    }
  }

  /// Whether there is no content at all, which is not the same as content of no bytes.
  public var isEmpty: Bool {
    if case .empty = source { true } else { false }
  }
}

/// Makes the chunks of one sending of a body.
///
/// Called by one task at a time, never again after it returned nil or threw. When the request ends early the source is
/// dropped; what it holds should go in its `deinit`.
public protocol BodyChunks: AnyObject, Sendable {
  /// The next bytes; nil after the last. An empty chunk is passed over.
  func next() async throws -> Data?
}

/// Any async sequence of bytes as a body's source.
public final class AsyncBodyChunks<Chunks: AsyncSequence & Sendable>: BodyChunks,
  @unchecked Sendable  // Safe because a transport asks for one chunk at a time, from one task.
where Chunks.Element == Data {
  private var iterator: Chunks.AsyncIterator

  /// Walks `chunks` once.
  public init(_ chunks: Chunks) { iterator = chunks.makeAsyncIterator() }

  /// The sequence's next element.
  public func next() async throws -> Data? { try await iterator.next(isolation: nil) }
}
