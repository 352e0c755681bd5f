public import CurlewCore
import CurlewStorage
public import Foundation

/// Uses an input stream of Foundation's as a request's body.
///
/// It reads the stream on its own thread, each piece after the previous one was sent, and closes it at the end.
public final class InputStreamChunks: BodyChunks {
  /// The most bytes to read at once.
  private static let pieceLength = 65_536

  /// The stream, which only its thread uses.
  // Safe because all uses run on `thread`, one after the other.
  private final class Stream: @unchecked Sendable {
    let stream: InputStream
    init(_ stream: InputStream) { self.stream = stream }
    deinit { stream.close() }
  }

  private let stream: Stream
  private let thread = DiskWork()

  /// Creates a source for a stream without other users.
  public init(_ stream: sending InputStream) { self.stream = Stream(stream) }

  /// Returns the next bytes; nil at the end of the stream.
  ///
  /// - Throws: `NetworkError` of kind `streamFailed`.
  public func next() async throws -> Data? {
    try await thread.run { [stream] () throws(NetworkError) in
      let stream = stream.stream
      if stream.streamStatus == .notOpen { stream.open() }
      var piece = Data(count: Self.pieceLength)
      let count = piece.withUnsafeMutableBytes { bytes -> Int in
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return -1 }
        return stream.read(start, maxLength: bytes.count)
      }
      guard count >= 0, count <= piece.count else {
        throw NetworkError(.streamFailed, stage: .sending, message: "The input stream cannot be read (\(count)).")
      }
      guard count > 0 else {
        stream.close()
        return nil
      }
      return piece.prefix(count)
    }
  }
}

extension Body {
  /// Creates a body from an input stream of Foundation's, which can be sent once.
  ///
  /// - Parameter length: The exact number of bytes; nil sends them without a length.
  public static func stream(_ stream: sending InputStream, length: Int64? = nil) -> Body {
    let chunks = InputStreamChunks(stream)
    return .stream(length: length, replayable: false) { chunks }
  }
}
