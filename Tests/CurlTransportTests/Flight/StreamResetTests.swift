import CurlewCore
import Testing

@testable import CurlewCurlTransport

@Suite struct StreamResetTests {
  @Test(
    arguments: [
      ("error:0A00010B:SSL routines::wrong version number", "wrong version number (OpenSSL 0A00010B)"),
      (
        "TLS connect error: error:0A000086:SSL routines::certificate verify failed",
        "certificate verify failed (OpenSSL 0A000086)"
      ),
      (
        "OpenSSL SSL_read: error:0A000412:SSL routines::sslv3 alert bad certificate, errno 0",
        "sslv3 alert bad certificate (OpenSSL 0A000412)"
      ),
      ("an error: a: b: c: d", "an error: a: b: c: d"), ("error:", "error:"), ("", ""),
    ])
  func `the words of OpenSSL begin with the reason and end with the code`(words: String, shown: String) {
    #expect(FailureTable.plain(words) == shown)
  }

  @Test(
    arguments: [
      ("HTTP/2 stream 1 was not closed cleanly: CANCEL (err 8)", 8),
      ("HTTP/2 stream 77 was not closed cleanly: unknown (err 4242)", 4242),
      ("HTTP/2 stream 1 was closed cleanly, but before getting  all response header fields, treated as error", 0),
      ("HTTP/2 stream 1 was reset", nil), ("", nil), ("HTTP/2 stream 1 (err )", nil), ("HTTP/2 stream 1 (err 8", 8),
      ("Invalid HTTP header field was received: frame type: 1, stream: 1, name: [a], value: [ (err 7)]", nil),
      ("OpenSSL SSL_read: Connection reset by peer, errno 104", nil),
    ] as [(String, Int?)])
  func `the code of a reset is read from libcurl's message`(words: String, code: Int?) {
    #expect(StreamReset.code(ofFailure: words) == code)
  }

  @Test(
    arguments: [
      ("Invalid HTTP header field was received: frame type: 1, stream: 1, name: [a], value: [b]", true),
      ("[HTTP2] [1] received invalid frame: FRAME[HEADERS, len=5, hend=1, eos=0], error -532: Violation", true),
      ("nghttp2 shuts down connection with error 1: PROTOCOL_ERROR", true),
      ("nghttp2 recv error -904: Flooding was detected", true),
      ("Ignoring received invalid HTTP header field: frame type: 1, stream: 1, name: [a], value: [b]", false),
      ("HTTP/2 stream 1 was not closed cleanly: PROTOCOL_ERROR (err 1)", false), ("", false),
    ])
  func `a violation by the server is told from a reset by it`(words: String, isViolation: Bool) {
    #expect(StreamReset.isViolation(words) == isViolation)
  }

  @Test func `the message names the code`() {
    #expect(
      StreamReset.error(8, .awaitingHead).message == "The server reset the stream with CANCEL before it answered.")
    #expect(
      StreamReset.error(77, .receivingBody).message
        == "The server reset the stream with the code 77 before the body was complete.")
    #expect(StreamReset.error(nil, .awaitingHead).message == "The server reset the stream before it answered.")
    #expect(StreamReset.error(7, .awaitingHead).details.streamErrorCode == 7)
  }
}
