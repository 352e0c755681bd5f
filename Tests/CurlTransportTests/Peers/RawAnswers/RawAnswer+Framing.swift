import CurlewCore

/// Answers whose length is unusual, doubtful or wrong (RFC 9112 §6, §7).
extension RawAnswer {
  static let chunks: [RawAnswer] = [
    chunked("long extension", "5;e=\(String(repeating: "x", count: 60_000))\r\nhello\r\n0\r\n\r\n", .body("hello")),
    chunked("extensions", "5;a=b;c=\"d\"\r\nhello\r\n0;z\r\n\r\n", .body("hello")),
    chunked("size of 17 digits", "FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n", closes: true, .badChunks),
    chunked("size of 2^63", "8000000000000000\r\nhello\r\n0\r\n\r\n", closes: true, .badChunks),
    chunked("negative size", "-5\r\nhello\r\n0\r\n\r\n", closes: true, .badChunks),
    chunked("size with many zeros", "0000000000000000000000005\r\nhello\r\n0\r\n\r\n", closes: true, .badChunks),
    chunked("size with 0x", "0x5\r\nhello\r\n0\r\n\r\n", closes: true, .badChunks),
    chunked("size and space", "5 \r\nhello\r\n0\r\n\r\n", .body("hello")),
    chunked("space and size", " 5\r\nhello\r\n0\r\n\r\n", closes: true, .badChunks),
    chunked("bare line feeds", "5\nhello\n0\n\n", closes: true, .body("hello")),
    chunked("wrong line end", "5\r\nhelloXX0\r\n\r\n", closes: true, .badChunks),
    chunked("no last line", "5\r\nhello\r\n0\r\n", closes: true, .truncated),
    chunked("cut last size", "5\r\nhello\r\n0", closes: true, .truncated),
    chunked("no last chunk", "5\r\nhello\r\n", closes: true, .truncated),
    chunked("cut trailers", "5\r\nhello\r\n0\r\nX-T: 1\r\n", closes: true, .truncated),
    chunked(
      "trailers with framing",
      "5\r\nhello\r\n0\r\nContent-Length: 3\r\nSet-Cookie: evil=1\r\nTransfer-Encoding: x\r\nX-T: 1\r\n\r\n",
      .body("hello")),
    chunked("trailer without colon", "5\r\nhello\r\n0\r\nbad line\r\n\r\n", .badChunks),
    chunked(
      "2,000 trailers", "5\r\nhello\r\n0\r\n\((0..<2_000).map { "X-\($0): 1\r\n" }.joined())\r\n",
      .fails(.headerLimitExceeded, .receivingBody)),
    chunked(
      "trailer of 400 kB", "5\r\nhello\r\n0\r\nX-A: \(String(repeating: "a", count: 400_000))\r\n\r\n",
      .fails(.headerLimitExceeded, .receivingBody)),
    chunked("another answer behind", "5\r\nhello\r\n0\r\n\r\n\(poison)", .body("hello")),
    RawAnswer(
      "another answer behind a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello\(poison)", .body("hello")),
  ]

  static let lengths: [RawAnswer] = [
    length("5\r\nContent-Length: 5", .body("hello")), length("5\r\nContent-Length: 6", .violation),
    length("5, 5", .body("hello")), length("5, 6", .violation), length("+5", .violation), length("-5", .violation),
    length("5 5", .violation), length("0005", .body("hello")), length("5\t", .body("hello")),
    length("0x5", .violation), length("5.0", .violation), length("9223372036854775808", .violation),
    length("99999999999999999999999", .violation), length("", .violation), length("5,", .violation),
    length(",5", .violation), length("5;x", .violation), length("5\r\n ", .violation), length("\r\n 5", .violation),
    length("9223372036854775807", .truncated), length("10", .truncated), length("3", .body("hel")),
    RawAnswer("Content-Length : 3", "HTTP/1.1 200 OK\r\nContent-Length : 3\r\n\r\nhello", closes: true, .violation),
    RawAnswer("no length", "HTTP/1.1 200 OK\r\n\r\nhello", closes: true, .body("hello")),
  ]

  static let codings: [RawAnswer] = [
    coding("chunked\r\nContent-Length: 5", .violation), coding("xchunked", .violation),
    coding("chunked;q=1", .violation), coding(", chunked", .body("hello")), coding("\u{b}chunked", .violation),
    coding("Chunked", .body("hello")), coding("gzip, chunked", .violation), coding("chunked, gzip", .violation),
    coding("identity", .body(fiveInChunks)), coding("identity, chunked", .body("hello")),
    coding("chunked, identity", .violation), coding("chunked\r\nTransfer-Encoding: chunked", .violation),
    coding("\r\nContent-Length: 24", .violation), coding("\r\nContent-Length: 15", .violation),
    coding(",\r\nContent-Length: 15", .violation), coding("identity\r\nContent-Length: 15", .violation),
    coding("", .body(fiveInChunks)), coding("\"chunked\"", .violation), coding("\"a, chunked\"", .violation),
    coding("chunked,", .body("hello")), coding("chunk", .violation), coding("chun ked", .violation),
    coding("identity\r\nTransfer-Encoding: chunked", .body("hello")), coding("\r\n chunked", .violation),
    coding("chunked\r\n ", .violation), coding("chunked\r\nTransfer-Encoding: identity", .violation),
    coding("deflate", .violation),
    RawAnswer(
      "Transfer-Encoding : chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\n\r\n\(fiveInChunks)",
      closes: true, .violation),
    RawAnswer(
      "chunks in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(fiveInChunks)", closes: true,
      .body("hello")),
  ]

  /// `hello` in the chunked coding.
  private static let fiveInChunks = "5\r\nhello\r\n0\r\n\r\n"
  /// An answer to a request that nobody has made.
  private static let poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"

  private static func chunked(_ name: String, _ body: String, closes: Bool = false, _ outcome: Outcome) -> RawAnswer {
    RawAnswer(name, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(body)", closes: closes, outcome)
  }

  private static func length(_ value: String, _ outcome: Outcome) -> RawAnswer {
    RawAnswer(
      "Content-Length: \(value)", "HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\nhello", closes: true, outcome)
  }

  private static func coding(_ value: String, _ outcome: Outcome) -> RawAnswer {
    RawAnswer(
      "Transfer-Encoding: \(value)", "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(value)\r\n\r\n\(fiveInChunks)",
      closes: true, outcome)
  }
}
