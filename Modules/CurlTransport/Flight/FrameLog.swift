import CLibcurl
import CurlewCore

/// Reads libcurl's log of HTTP/2 frames for facts that no result code contains.
///
/// If a server resets a stream with NO_ERROR in the middle of a body, libcurl takes the body for complete. It also does not
/// tell a refused stream from a lost connection. Its log contains both, but costs some thousand instructions per read. The log
/// is therefore enabled only for bodies of unknown length, requests with a body, and requests that are not idempotent. Lines
/// about one stream arrive through the handle of any transfer on the same connection.
struct FrameLog {
  /// A line of the log.
  enum Line: Equatable {
    /// The server ended a stream.
    case ended(Int)
    /// The server reset a stream without an error.
    case resetWithoutError(Int)
    /// Another frame from the server.
    case frame
    /// The transfer's own stream is closed.
    case closed(Int)
    /// The transfer's own stream was refused, so nothing was processed.
    case refused
  }

  private struct Stream: Hashable {
    var connection: ObjectIdentifier?
    var number: Int
  }

  /// The most streams that the server has ended and the client has not.
  private static let mostEnded = 1_024

  private var ended: Set<Stream> = []
  /// The stream that is reset by the frame that libcurl is processing.
  private var resetting: Stream?

  /// Processes a line that arrived through a transfer on a connection.
  ///
  /// - Returns: Whether the transfer's own stream was closed before the server ended it.
  mutating func take(_ line: Line, on connection: ObjectIdentifier?) -> Bool {
    switch line {
    case .ended(let number):
      resetting = nil
      if ended.count >= Self.mostEnded { ended.removeAll() }
      ended.insert(Stream(connection: connection, number: number))
    case .resetWithoutError(let number): resetting = Stream(connection: connection, number: number)
    case .frame: resetting = nil
    case .closed(let number):
      let stream = Stream(connection: connection, number: number)
      let wasEnded = ended.remove(stream) != nil
      return resetting == stream && !wasEnded
    case .refused: break
    }
    return false
  }

  /// Parses a line of the log; nil if it is not about streams.
  static func read(_ text: UnsafeRawBufferPointer) -> Line? {
    guard text.count >= 6 else { return nil }
    if text[0] == UInt8(ascii: "R") { return text.starts(with: "REFUSED_STREAM".utf8) ? .refused : nil }
    // Up to 8.0.1, when GOAWAY refuses streams, libcurl logs only this text, with this spelling.
    if text[0] == UInt8(ascii: "r") { return has("eived GOAWAY, error=0, last_stream=0", in: text) ? .refused : nil }
    guard text.starts(with: "[HTTP/2] [".utf8) else { return nil }
    var index = 10
    var number = 0
    while index < text.count, number < 1 << 31, (48...57).contains(text[index]) {
      number = number * 10 + Int(text[index] - 48)
      index += 1
    }
    let rest = UnsafeRawBufferPointer(rebasing: text[index...])
    if rest.starts(with: "] CLOSED".utf8) { return .closed(number) }
    guard rest.starts(with: "] <- FRAME[".utf8) else { return nil }
    let frame = UnsafeRawBufferPointer(rebasing: rest[11...])
    if frame.starts(with: "RST_STREAM".utf8) {
      return has("error=0]", in: frame) ? .resetWithoutError(number) : .frame
    }
    let mayEnd = frame.starts(with: "DATA".utf8) || frame.starts(with: "HEADERS".utf8)
    return mayEnd && has("eos=1", in: frame) ? .ended(number) : .frame
  }

  private static func has(_ word: StaticString, in text: UnsafeRawBufferPointer) -> Bool {
    let word = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    guard text.count >= word.count else { return false }
    return (0...(text.count - word.count)).contains { text[$0...].starts(with: word) }
  }
}

/// How a server reset an HTTP/2 stream, if libcurl's result does not show it.
enum StreamReset: Sendable, Hashable {
  /// The server processed nothing of the request (RFC 9113 §8.7).
  case refused
  /// The server reset the stream with NO_ERROR before its end (RFC 9113 §8.1).
  case withoutError
}

extension CurlFlight {
  static let logCallback: curlew_debug_callback = { _, kind, bytes, count, context in
    guard kind == CURLINFO_TEXT, let context, let bytes else { return 0 }
    let flight = Unmanaged<CurlFlight>.fromOpaque(context).takeUnretainedValue()
    guard let line = FrameLog.read(UnsafeRawBufferPointer(start: bytes, count: count)) else { return 0 }
    if line == .refused { flight.reset = .refused }
    if flight.loop.frames.take(line, on: flight.seal.map { ObjectIdentifier($0) }) {
      flight.reset = flight.reset ?? .withoutError
    }
    return 0
  }

  /// Enables the log for this transfer.
  func logFrames() {
    guard let easy else { return }
    curlew_set_debug_callback(easy, Self.logCallback)
    curlew_set_pointer(easy, CURLOPT_DEBUGDATA, Unmanaged.passUnretained(self).toOpaque())
    curlew_set_long(easy, CURLOPT_VERBOSE, 1)
  }

  /// Enables the log before the request is sent, if it can matter on this connection.
  func chooseLog(_ easy: EasyHandle) {
    guard plan.mayBeRefused else { return }
    let speaksHTTP2 =
      plan.version == .priorKnowledge
      || curlew_get_ssl(easy).map { VerifiedTag.speaksHTTP2(OpaquePointer($0)) } ?? false
    if speaksHTTP2 { loop.logFrames(of: self) }
  }

  /// The error for a stream that was reset with NO_ERROR before its end.
  ///
  /// The body is incomplete all the same (RFC 9113 §8.1).
  static let cutByReset = NetworkError(
    .streamReset, stage: .receivingBody, message: "The server reset the stream before the body was complete.")

  /// The error for a stream that was refused unprocessed (RFC 9113 §8.7).
  static let refusedStream = NetworkError(
    .streamReset, stage: .awaitingHead, message: "The server refused the request before it processed anything.")
}
