import CLibcurl
import CurlewCore

/// How a server ended a request over HTTP/2 before its response was complete (RFC 9113 §5.4).
enum StreamReset {
  /// The code of a stream whose request was not processed (RFC 9113 §8.7).
  static let refused = 7
  /// The code for a request that must be made over HTTP/1.1 (RFC 9113 §7).
  static let http11Required = 13

  /// The names of RFC 9113 §7, by code.
  private static let names = [
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
    "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
  ]

  /// Returns the code at the end of libcurl's words about a stream, such as `…: CANCEL (err 8)`; nil without one.
  static func code(in words: String) -> Int? {
    guard let start = words.lastIndex(of: "("), words[start...].hasPrefix("(err ") else { return nil }
    let digits = words[start...].dropFirst(5).prefix { $0 != ")" }
    return UInt32(digits).map { Int($0) }
  }

  /// Returns the code that libcurl's message about a failed transfer states; nil without one.
  static func code(ofFailure words: String) -> Int? {
    guard words.hasPrefix("HTTP/2 stream ") else { return nil }
    // A stream that closes without a head and without an error was reset with NO_ERROR.
    return words.contains("was closed cleanly") ? 0 : code(in: words)
  }

  /// Whether libcurl or nghttp2 found a violation of RFC 9113 in what the server sent.
  static func isViolation(_ words: String) -> Bool {
    let signs = [
      "Invalid HTTP header", "received invalid frame", "shuts down connection with error", "nghttp2 recv error",
    ]
    return signs.contains { words.contains($0) }
  }

  /// Returns the error for a stream that the server reset.
  ///
  /// - Parameter code: The code of RFC 9113 §7; nil if libcurl does not state it.
  static func error(_ code: Int?, _ stage: NetworkError.Stage) -> NetworkError {
    NetworkError(.streamReset, stage: stage, message: message(code, stage)).with { $0.streamErrorCode = code }
  }

  private static func message(_ code: Int?, _ stage: NetworkError.Stage) -> String {
    let isInBody = stage == .receivingBody
    let name = code.map { names.indices.contains($0) ? names[$0] : "the code \($0)" }
    switch code {
    case refused where !isInBody:
      return "The server refused the request before it processed anything (REFUSED_STREAM or GOAWAY)."
    case http11Required where !isInBody:
      return "The server requires HTTP/1.1 for this request (HTTP_1_1_REQUIRED)."
    default:
      let with = name.map { " with \($0)" } ?? ""
      return "The server reset the stream\(with) before \(isInBody ? "the body was complete" : "it answered")."
    }
  }
}

extension CurlFlight {
  /// The code with which the server reset the stream, as far as libcurl states it.
  var resetCode: Int? { reset ?? StreamReset.code(ofFailure: words) }

  /// libcurl's error message.
  var words: String { errorText.map { String(cString: $0) } ?? "" }

  /// The error for a request that libcurl is about to send again without being asked.
  ///
  /// It does so when the server refused the stream or requires HTTP/1.1, and when a used connection was lost. Whether to send
  /// again is for `Loader` to decide.
  var repetition: NetworkError {
    (resetCode ?? silentRefusal).map { StreamReset.error($0, .awaitingHead) } ?? lostConnection()
  }

  /// The code of a refusal, concluded from the fact that libcurl sends the request again; nil after a lost connection.
  ///
  /// When the server refused the stream, libcurl writes no error message, and when it requires HTTP/1.1, this one; for a lost
  /// HTTP/2 connection it writes another one. libcurl does not promise that, so it counts only for requests that may be
  /// repeated after a lost connection as well. For the others the log is read.
  private var silentRefusal: Int? {
    guard speaksHTTP2, !plan.mayBeRefused else { return nil }
    return words.isEmpty
      ? StreamReset.refused : words == "Empty reply from server" ? StreamReset.http11Required : nil
  }

  /// Whether a server that ended the request with an error has processed nothing of it.
  func isUnprocessed(_ error: NetworkError) -> Bool {
    guard !phase.hasHead, let code = error.details.streamErrorCode else { return false }
    return code == StreamReset.refused || code == StreamReset.http11Required
  }
}
