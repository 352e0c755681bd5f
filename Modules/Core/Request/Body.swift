public import FoundationEssentials
import Glibc

/// The content of a request.
///
/// A body knows its length if possible, and whether it can be sent again. When a retry, a redirect or a challenge needs
/// a one-shot body again, `ExchangeHooks.newBody` is asked for another; without one the request fails with a typed
/// error. Half a body is never sent.
public struct Body: Sendable {
  /// The source of the bytes.
  public enum Source: Sendable {
    /// There is no content.
    case empty
    /// Bytes in memory.
    case bytes(Data)
    /// A part of a file, which is opened when it is sent.
    case file(FileRegion)
    /// Chunks that are produced while they are sent.
    case stream(Stream)
  }

  /// A part of a file.
  public struct FileRegion: Sendable, Hashable {
    /// The file's path.
    public var path: String
    /// The offset of the first byte, 0 or more.
    public var offset: Int64
    /// The number of bytes.
    public var length: Int64
    /// The length of the whole file; it must be the same when it is sent.
    public var fileLength: Int64
  }

  /// A source of chunks.
  public struct Stream: Sendable {
    /// The length of all chunks together in bytes; nil when unknown.
    public var length: Int64?
    /// Whether `make` may be called again for the same bytes.
    public var replayable: Bool
    /// Starts the source; called each time the body is sent.
    public var make: @Sendable () async throws -> any BodyChunks
  }

  /// The source of the bytes.
  public let source: Source

  /// No content; no length is announced for methods that need none.
  public static var empty: Body { Body(source: .empty) }

  /// Bytes in memory.
  public static func bytes(_ data: Data) -> Body { Body(source: .bytes(data)) }

  /// Text, as UTF-8.
  public static func text(_ text: String) -> Body { Body(source: .bytes(Data(text.utf8))) }

  /// Creates a body from a file or a range of it.
  ///
  /// The file is opened when the body is sent, so it uses no memory. Its length is fixed now: if it has changed when the body
  /// is sent, the request fails with `bodyLengthMismatch`.
  ///
  /// - Parameters:
  ///   - url: A `file` URL.
  ///   - range: The byte offsets, inside the file; nil means the whole file.
  /// - Throws: `NetworkError` of kind `fileError` when the file does not exist, is not a regular file, or is shorter
  ///   than the range.
  public static func file(_ url: URL, range: Range<Int64>? = nil) throws(NetworkError) -> Body {
    try Body(source: .file(FileRegion(url, range: range)))
  }

  /// Creates a body from the file at a path, like the method with a URL.
  ///
  /// - Throws: `NetworkError` of kind `fileError`.
  public static func file(_ path: String, range: Range<Int64>? = nil) throws(NetworkError) -> Body {
    try file(URL(filePath: path, directoryHint: .notDirectory), range: range)
  }

  /// Creates a body from chunks that are produced while they are sent.
  ///
  /// - Parameters:
  ///   - length: The exact number of bytes; nil sends them chunked (HTTP/1.1) or without a length (HTTP/2). A source
  ///     that produces more or fewer fails with `bodyLengthMismatch`.
  ///   - replayable: Whether `make` may be called again for the same bytes.
  ///   - make: Starts the source; if it throws, the request fails with `bodySourceFailed`.
  public static func stream(
    length: Int64? = nil, replayable: Bool, make: @escaping @Sendable () async throws -> any BodyChunks
  ) -> Body {
    Body(source: .stream(Stream(length: length, replayable: replayable, make: make)))
  }

  /// Creates a one-shot body from a sequence of chunks.
  public static func stream<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, length: Int64? = nil) -> Body
  where Chunks.Element == Data {
    .stream(length: length, replayable: false) { AsyncBodyChunks(chunks) }
  }

  /// The length in bytes; nil when unknown.
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

  /// Whether there is no content at all, which differs from empty content.
  public var isEmpty: Bool {
    if case .empty = source { true } else { false }
  }
}

/// Produces the chunks of a body for one sending.
///
/// It is called by one task at a time, and never again after it has returned nil or thrown. When the request ends
/// early, the source is released; it should release its resources in `deinit`.
public protocol BodyChunks: AnyObject, Sendable {
  /// Returns the next bytes; nil at the end. Empty chunks are skipped.
  func next() async throws -> Data?
}

/// Uses any async sequence of bytes as a body's source.
public final class AsyncBodyChunks<Chunks: AsyncSequence & Sendable>: BodyChunks,
  @unchecked Sendable  // Safe because a transport asks for one chunk at a time, from one task.
where Chunks.Element == Data {
  private var iterator: Chunks.AsyncIterator

  /// Creates a source that iterates over `chunks` once.
  public init(_ chunks: Chunks) { iterator = chunks.makeAsyncIterator() }

  /// Returns the sequence's next element.
  public func next() async throws -> Data? { try await iterator.next(isolation: nil) }
}

extension Body.FileRegion {
  /// Measures a file without keeping it open.
  ///
  /// - Throws: `NetworkError` of kind `fileError`.
  init(_ url: URL, range: Range<Int64>?) throws(NetworkError) {
    guard url.isFileURL else {
      throw NetworkError(
        .fileError, stage: .preparing,
        message: "\(Redaction.name(of: url)) is not a file URL.",
        advice: "Make one with URL(filePath:), or give a path.")
    }
    let path = url.path(percentEncoded: false)
    // C would read such a path only up to the NUL, which names another file.
    guard !path.utf8.contains(0) else {
      throw NetworkError(.fileError, stage: .preparing, message: "The path of the body's file contains a NUL.")
    }
    var status = stat()
    guard stat(path, &status) == 0 else {
      let cause = FileSystemError(.current, operation: "stat", path: path)
      throw NetworkError(
        .fileError, stage: .preparing, message: "The file \(path) cannot be sent: \(cause.reason).",
        advice: cause.advice, underlying: cause)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw NetworkError(
        .fileError, stage: .preparing, message: "\(path) cannot be sent: it is not a regular file.",
        advice: "Give the path of one.")
    }
    let size = Int64(status.st_size)
    let range = range ?? 0..<size
    guard range.lowerBound >= 0, range.upperBound <= size else {
      throw NetworkError(
        .fileError, stage: .preparing,
        message: "The range \(range.lowerBound)..<\(range.upperBound) is not within \(path), which has \(size) bytes.")
    }
    self.init(
      path: path, offset: range.lowerBound, length: range.upperBound - range.lowerBound, fileLength: size)
  }
}
