import CLibcurl
import CurlewCore

/// Reads libcurl's log of HTTP/2 frames for facts that no result code contains.
///
/// If a server resets a stream with NO_ERROR in the middle of a body, libcurl takes the body for complete. It also repeats a
/// request without saying whether the server refused it or the connection was lost. Its log contains both, but costs as much as
/// a small request. The log is therefore enabled only for bodies of unknown length, requests with a body, and requests that are
/// not idempotent. Lines about one stream's frames arrive through the handle of any transfer on the same connection.
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
    /// The transfer's own stream was closed with an error code, by a reset or because GOAWAY excluded it.
    case reset(Int)
  }

  private struct Stream: Hashable {
    var connection: Int64
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
  mutating func take(_ line: Line, on connection: Int64) -> Bool {
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
    case .reset: break
    }
    return false
  }

  /// Parses a line of the log; nil if it is not about streams.
  static func read(_ text: UnsafeRawBufferPointer) -> Line? {
    guard text.starts(with: "[HTTP/2] [".utf8) else { return nil }
    var rest = UnsafeRawBufferPointer(rebasing: text[10...])
    let number = takeNumber(&rest)
    if rest.starts(with: "] CLOSED".utf8) { return .closed(number) }
    // Only these places of a line are libcurl's own words: what follows in other lines may be the app's or the server's.
    if rest.starts(with: "] RESET: ".utf8) {
      return StreamReset.code(in: String(decoding: rest, as: UTF8.self)).map { .reset($0) }
    }
    if rest.starts(with: "] REFUSED_STREAM".utf8) { return .reset(StreamReset.refused) }
    guard rest.starts(with: "] <- FRAME[".utf8) else { return nil }
    let frame = UnsafeRawBufferPointer(rebasing: rest[11...])
    if frame.starts(with: "RST_STREAM".utf8) {
      return has("error=0]", in: frame) ? .resetWithoutError(number) : .frame
    }
    let mayEnd = frame.starts(with: "DATA".utf8) || frame.starts(with: "HEADERS".utf8)
    return mayEnd && has("eos=1", in: frame) ? .ended(number) : .frame
  }

  private static func takeNumber(_ text: inout UnsafeRawBufferPointer) -> Int {
    var index = 0
    var number = 0
    while index < text.count, number < 1 << 31, (48...57).contains(text[index]) {
      number = number * 10 + Int(text[index] - 48)
      index += 1
    }
    text = UnsafeRawBufferPointer(rebasing: text[index...])
    return number
  }

  private static func has(_ word: StaticString, in text: UnsafeRawBufferPointer) -> Bool {
    let word = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    guard text.count >= word.count else { return false }
    return (0...(text.count - word.count)).contains { text[$0...].starts(with: word) }
  }
}

extension CurlFlight {
  static let logCallback: curlew_debug_callback = { easy, kind, bytes, count, context in
    guard kind == CURLINFO_TEXT, let easy, let context, let bytes else { return 0 }
    let flight = Unmanaged<CurlFlight>.fromOpaque(context).takeUnretainedValue()
    guard let line = FrameLog.read(UnsafeRawBufferPointer(start: bytes, count: count)) else { return 0 }
    if case .reset(let code) = line { flight.reset = flight.reset ?? code }
    if flight.loop.frames.take(line, on: Int64(curlew_connection_number(easy))) { flight.reset = flight.reset ?? 0 }
    return 0
  }

  /// Enables the log for this transfer.
  func logFrames() {
    guard let easy else { return }
    curlew_set_debug_callback(easy, Self.logCallback)
    curlew_set_pointer(easy, CURLOPT_DEBUGDATA, Unmanaged.passUnretained(self).toOpaque())
    curlew_set_long(easy, CURLOPT_VERBOSE, 1)
  }
}
