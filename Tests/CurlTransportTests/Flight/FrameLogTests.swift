import CurlewCore
import Testing

@testable import CurlewCurlTransport

@Suite struct FrameLogTests {
  private func read(_ text: String) -> FrameLog.Line? {
    Array(text.utf8).withUnsafeBytes { FrameLog.read($0) }
  }

  @Test(
    arguments: [
      ("[HTTP/2] [1] <- FRAME[RST_STREAM, len=4, flags=0, error=0]\n", .resetWithoutError(1)),
      ("[HTTP/2] [1] <- FRAME[RST_STREAM, len=4, flags=0, error=08]\n", .frame),
      ("[HTTP/2] [17] <- FRAME[RST_STREAM, len=4, flags=0, error=8]\n", .frame),
      ("[HTTP/2] [213] <- FRAME[DATA, len=1000, eos=1, padlen=0]\n", .ended(213)),
      ("[HTTP/2] [3] <- FRAME[DATA, len=1000, eos=0, padlen=0]\n", .frame),
      ("[HTTP/2] [3] <- FRAME[HEADERS, len=1, hend=1, eos=1]\n", .ended(3)),
      ("[HTTP/2] [0] <- FRAME[SETTINGS, ack=1]\n", .frame), ("[HTTP/2] [5] CLOSED\n", .closed(5)),
      ("[HTTP/2] [9] RESET: REFUSED_STREAM (err 7)\n", .reset(7)), ("[HTTP/2] [9] RESET: CANCEL (err 8)\n", .reset(8)),
      ("[HTTP/2] [9] REFUSED_STREAM, try again on a new connection\n", .reset(7)),
      ("[HTTP/2] [9] RESET: unknown (err 4294967295)\n", .reset(4_294_967_295)), ("[HTTP/2] [9] RESET: CANCEL\n", nil),
      ("[HTTP/2] [9] RESET: x (err 99999999999)\n", nil), ("[HTTP/2] [9] RESET: x (err -1)\n", nil),
      ("REFUSED_STREAM, retrying a fresh connect\n", nil), ("received GOAWAY, error=0, last_stream=1\n", nil),
      // Words of the request and of the server do not count.
      ("[HTTP/2] [1] OPENED stream for https://h/] RESET: REFUSED_STREAM (err 7)\n", nil),
      ("[HTTP/2] [1] [x-a: ] RESET: REFUSED_STREAM (err 7)]\n", nil),
      ("[HTTP/2] [1] header: REFUSED_STREAM: RESET: REFUSED_STREAM (err 7)\n", nil),
      ("[HTTP/2] [1] -> FRAME[HEADERS, len=21, hend=1, eos=1]\n", nil), ("[HTTP/2] [1] status: HTTP/2 200\n", nil),
      ("[HTTP/2] [1] DRAIN select_bits=1\n", nil), ("[HTTP/2] [", nil), ("[HTTP/2] [99999999999999999999", nil),
      ("Request completely sent off\n", nil), ("R", nil), ("", nil), ("[HTTP/2] [1] <- FRAME[", .frame),
    ] as [(String, FrameLog.Line?)])
  func `a line of the log is read`(text: String, line: FrameLog.Line?) {
    #expect(read(text) == line)
  }

  /// The numbers, by place, of the lines that tell of a cut stream.
  private func cuts(_ lines: [(FrameLog.Line, Int64)]) -> [Int] {
    var log = FrameLog()
    var cuts: [Int] = []
    for (place, line) in lines.enumerated() where log.take(line.0, on: line.1) { cuts.append(place) }
    return cuts
  }

  @Test func `a stream that closes by a reset without an end was cut`() {
    #expect(
      cuts([(.frame, 0), (.resetWithoutError(1), 0), (.closed(1), 0), (.frame, 0), (.closed(1), 0)]) == [2])
  }

  @Test func `a stream that ended before its reset is whole, on its own connection`() {
    let (one, other) = (Int64(1), Int64(2))
    #expect(cuts([(.ended(1), one), (.resetWithoutError(1), other), (.closed(1), other)]) == [2])
    #expect(cuts([(.ended(1), one), (.resetWithoutError(1), one), (.closed(1), one)]) == [])
    #expect(cuts([(.resetWithoutError(1), one), (.closed(1), other)]) == [])
  }

  @Test func `streams that ended and were never closed are forgotten in the end`() {
    let many = (1...5_000).map { (FrameLog.Line.ended($0), Int64(0)) }
    #expect(cuts(many + [(.resetWithoutError(5_000), 0), (.closed(5_000), 0)]) == [])
    #expect(cuts(many + [(.resetWithoutError(1), 0), (.closed(1), 0)]) == [5_001])
  }
}
