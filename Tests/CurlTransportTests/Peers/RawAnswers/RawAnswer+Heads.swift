import CurlewCore

/// Answers whose head is unusual, broken or too large (RFC 9112 §4, §5).
extension RawAnswer {
  static let statusLines: [RawAnswer] = [
    line("HTTP/1.1 200", .body("hello")), line("HTTP/1.1 200OK", .violation),
    line("HTTP/1.1  200 OK", .bodyOrFails("hello", .protocolViolation, .awaitingHead)),
    line("HTTP/1.1 2000 OK", .violation), line("HTTP/1.1 099 x", .violation), line("HTTP/1.2 200 OK", .violation),
    line("HTTP/2 200", .violation), line("HTTP/2 200 OK", .violation), line("HTTP/2.0 200 OK", .violation),
    line("HTTP/3 200", .violation), line("ICY 200 OK", .violation), line("http/1.1 200 OK", .violation),
    line("HTTP/1.1 200 \u{ff}\u{fe}", .body("hello")), line("HTTP/1.1 999 x", .body("hello", status: 999)),
    line("HTTP/1.1 600 x", .body("hello", status: 600)), line("HTTP/1.1\t200 OK", .violation),
    line(" HTTP/1.1 200 OK", .violation), line("\r\nHTTP/1.1 200 OK", .violation),
    line("HTTP/1.10 200 OK", .violation), line("HTTP/1 200 OK", .violation), line("HTTP/0.9 200 OK", .violation),
  ]

  static let fields: [RawAnswer] = [
    head("10,000 fields", (0..<10_000).map { "X-\($0): v\r\n" }.joined(), .tooLarge),
    head("999 fields", (0..<999).map { "X-\($0): v\r\n" }.joined(), .body("hello")),
    head("field of 100 kB", "X: \(String(repeating: "a", count: 100_000))\r\n", .body("hello")),
    head("field of 300 kB", "X: \(String(repeating: "a", count: 300_000))\r\n", .tooLarge),
    head("bare return", "X: a\rSet-Cookie: e=1\r\n", .violation), head("NUL", "X: a\0b\r\n", .violation),
    head("no colon", "Xfoo\r\n", .violation), head("no name", ": v\r\n", .violation),
    head("folded", "X: a\r\n b\r\n\tc\r\n", .body("hello")), head("folded first", " X: a\r\n", .violation),
    head("ISO 8859-1", "X: caf\u{e9}\r\n", .body("hello")),
    RawAnswer("bare line feeds", "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", .body("hello")),
    head("close", "Connection: close\r\n", .body("hello")),
    RawAnswer(
      "a keep-alive that is none", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", closes: true, .body("hello")),
    RawAnswer("nothing", "", closes: true, .lost),
    RawAnswer("half a head", "HTTP/1.1 200 OK\r\nContent-Le", closes: true, .lost),
    RawAnswer("only a status line", "HTTP/1.1 200 OK\r\n", closes: true, .lost),
    RawAnswer("HTTP/0.9", "<html>hi</html>", closes: true, .violation),
  ]

  static let informational: [RawAnswer] = [
    RawAnswer(
      "99 heads", String(repeating: "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n", count: 99) + hello, .body("hello")),
    RawAnswer("101 heads", String(repeating: "HTTP/1.1 102 P\r\n\r\n", count: 101) + hello, .tooLarge),
    RawAnswer("199 with a length", "HTTP/1.1 199 x\r\nContent-Length: 5\r\n\r\n\(hello)", .body("hello")),
    RawAnswer(
      "103 with a length before a body without",
      "HTTP/1.1 103 x\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhelloworld",
      closes: true, .body("helloworld")),
    RawAnswer("103 with chunks", "HTTP/1.1 103 x\r\nTransfer-Encoding: chunked\r\n\r\n\(hello)", .body("hello")),
    RawAnswer("103 over HTTP/2", "HTTP/2 103 x\r\n\r\n\(hello)", .violation),
    RawAnswer(
      "101 to another protocol", "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nrawbytes",
      .violation),
    RawAnswer("101 to h2c", "HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n", .violation),
  ]

  static let statuses: [RawAnswer] = [
    RawAnswer("426", "HTTP/1.1 426 U\r\nUpgrade: h2c\r\nContent-Length: 5\r\n\r\nhello", .body("hello", status: 426)),
    RawAnswer("204 with a body", "HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\nhello", .body("", status: 204)),
    RawAnswer("304 with a body", "HTTP/1.1 304 No\r\nContent-Length: 5\r\n\r\nhello", .body("", status: 304)),
    RawAnswer(
      "204 with chunks", "HTTP/1.1 204 No\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      .body("", status: 204)),
    RawAnswer(
      "304 with chunks", "HTTP/1.1 304 No\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      .body("", status: 304)),
    RawAnswer("205", "HTTP/1.1 205 R\r\nContent-Length: 0\r\n\r\n", .body("", status: 205)),
    RawAnswer("421", "HTTP/1.1 421 M\r\nContent-Length: 0\r\n\r\n", .body("", status: 421)),
    RawAnswer("425", "HTTP/1.1 425 M\r\nContent-Length: 0\r\n\r\n", .body("", status: 425)),
    RawAnswer("417", "HTTP/1.1 417 M\r\nContent-Length: 0\r\n\r\n", .body("", status: 417)),
    RawAnswer(
      "407", "HTTP/1.1 407 M\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n", .body("", status: 407)),
  ]

  private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

  private static func line(_ line: String, _ outcome: Outcome) -> RawAnswer {
    RawAnswer("\(line.debugDescription)", "\(line)\r\nContent-Length: 5\r\n\r\nhello", closes: true, outcome)
  }

  private static func head(_ name: String, _ fields: String, _ outcome: Outcome) -> RawAnswer {
    RawAnswer(name, "HTTP/1.1 200 OK\r\n\(fields)Content-Length: 5\r\n\r\nhello", outcome)
  }
}
