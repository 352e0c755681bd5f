import CurlewCore
import CurlewTestSupport
import CurlewURLSessionTransport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct FailureTests {
  private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
  private static let gzip = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\n"

  /// What is sent, then how it ends, and what that is called.
  private static let replies: [(name: String, bytes: String, ending: OriginStep, kind: NetworkError.Kind)] = [
    ("nothing", "", .close, .connectionLost),
    ("a reset", "", .reset, .connectionLost),
    ("half a status line", "HTTP/1.1 200", .close, .connectionLost),
    ("a body that is cut", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", .close, .truncatedBody),
    ("a body that is reset", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", .reset, .truncatedBody),
    ("chunks that are cut", chunked + "5\r\nhello\r\n", .close, .truncatedBody),
    ("a chunk of no size", chunked + "zz\r\nhello\r\n0\r\n\r\n", .close, .protocolViolation),
    ("no HTTP", "SSH-2.0-OpenSSH_9.2\r\n", .close, .protocolViolation),
    ("a page", "<html>hello</html>\r\n\r\n", .close, .protocolViolation),
    ("a short status", "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n", .close, .protocolViolation),
    ("a status of letters", "HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n", .close, .protocolViolation),
    ("a line without colon", "HTTP/1.1 200 OK\r\ngarbage\r\n\r\n", .close, .protocolViolation),
    ("bare line feeds", "HTTP/1.1 200 OK\nContent-Length: 0\n\n", .close, .protocolViolation),
    ("no space behind a colon", "HTTP/1.1 200 OK\r\nA:b\r\n\r\n", .close, .protocolViolation),
    ("a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", .close, .protocolViolation),
    (
      "a length too large", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n", .close,
      .protocolViolation
    ),
    (
      "two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", .close,
      .protocolViolation
    ),
    (
      "a length beside chunks",
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", .close,
      .protocolViolation
    ),
    ("a long line", "HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 400_000))", .close, .headerLimitExceeded),
    ("no gzip", gzip + String(repeating: "x", count: 20), .close, .contentDecodingFailed),
    ("informational heads only", "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n", .close, .connectionLost),
    (
      "a redirect that is cut", "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 9\r\n\r\nx", .close,
      .connectionLost
    ),
  ]

  @Test(arguments: replies.map(\.name))
  func `what a server does wrong has a name`(name: String) async throws {
    let reply = try #require(Self.replies.first { $0.name == name })
    try await withOrigin { _ in
      OriginReply(.raw(reply.bytes), reply.ending)
    } _: { origin, transport in
      let error = try await failure { _ = try await transport.fetch(Request(.get, origin.url())) }
      #expect(error.kind == reply.kind, "\(error)")
      #expect(error.maybeProcessed)
      #expect(error.details.request?.url == origin.url())
    }
  }

  @Test func `bytes that are not UTF-8 in a head are a violation`() async throws {
    try await withOrigin { _ in
      OriginReply(.raw([UInt8]("HTTP/1.1 200 OK\r\nX: caf".utf8) + [0xe9, 0x0d, 0x0a, 0x0d, 0x0a]), .close)
    } _: { origin, transport in
      let error = try await failure { _ = try await transport.fetch(Request(.get, origin.url())) }
      #expect(error.kind == .protocolViolation)
    }
  }

  /// The documentation of `URLSessionTransport` says so.
  @Test func `a gzip body without its last bytes is taken for whole`() async throws {
    let whole: [UInt8] = [
      0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 7, 0, 0x86, 0xa6, 0x10, 0x36, 5, 0, 0, 0,
    ]
    let cut = Array(whole.dropLast(3))
    try await withOrigin { _ in
      .ok(cut, type: "text/plain", ["Content-Encoding": "gzip"])
    } _: { origin, transport in
      let (_, body) = try await transport.fetch(Request(.get, origin.url()))
      #expect(body == Data("hello".utf8))
    }
  }

  @Test func `a switch of protocols that was not asked for is a violation`() async throws {
    try await withOrigin { _ in
      OriginReply(.head(101, ["Connection": "Upgrade", "Upgrade": "nonsense"]), .stall)
    } _: { origin, transport in
      var request = Request(.get, origin.url())
      request.options.timeouts.idle = .seconds(2)
      let error = try await failure { _ = try await transport.fetch(request) }
      #expect(error.kind == .protocolViolation, "\(error)")
    }
  }

  @Test func `more fields than allowed are refused`() async throws {
    try await withOrigin { _ in
      .ok("x", OriginFields((0..<1001).map { OriginFields.Line("X-\($0)", "a") }))
    } _: { origin, transport in
      let error = try await failure { _ = try await transport.fetch(Request(.get, origin.url())) }
      #expect(error.kind == .headerLimitExceeded)
    }
  }

  @Test func `a body that is cut is not a failed connection although another address of the host refused`() async throws
  {
    // `localhost` is ::1 too where the machine knows it, and nobody listens there.
    try await withOrigin { _ in
      OriginReply(.raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"), .close)
    } _: { origin, transport in
      let error = try await failure {
        _ = try await transport.fetch(Request(.get, origin.url(host: "localhost")))
      }
      #expect(error.kind == .truncatedBody)
      #expect(error.details.bytesReceived == 5)
    }
  }

  @Test func `a port where nobody listens is a failed connection, certainly not processed`() async throws {
    let unheard = try LoopbackSocket()
    let url = try #require(URL(string: "http://127.0.0.1:\(unheard.port)/"))
    let transport = URLSessionTransport()
    for body in [.empty, .text("x")] as [Body] {
      let error = try await failure { _ = try await transport.send(Request(.post, url, body: body), in: Exchange()) }
      #expect(error.kind == .connectionFailed)
      #expect(error.stage == .connecting)
      #expect(!error.maybeProcessed)
    }
    await transport.shutdown()
  }

  @Test func `TLS that fails is told apart from trust that is refused`() async throws {
    let identity = try TestIdentity.selfSigned()
    try await withOrigin(.with { $0.tls = OriginTLS(identity) }) { _ in
      .ok()
    } _: { origin, transport in
      let error = try await failure { _ = try await transport.fetch(Request(.get, origin.url())) }
      #expect(error.kind == .serverTrustRefused)
      #expect(error.stage == .securing)
      #expect(error.details.trust?.reason == .untrusted)
      #expect(!error.maybeProcessed)
      #expect(origin.requests.isEmpty)
    }
    for acceptance in [.close, .send([UInt8]("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))]
      as [ConnectionBehaviour.Acceptance]
    {
      try await withOrigin(.with { $0.connection = { _ in ConnectionBehaviour(acceptance) } }) { _ in
        .ok()
      } _: { origin, transport in
        let url = try #require(URL(string: "https://127.0.0.1:\(origin.port)/"))
        let error = try await failure { _ = try await transport.fetch(Request(.post, url, body: .text("x"))) }
        // A reset reads alike before and after the handshake; then nothing is claimed.
        let isClear = error.kind == .handshakeFailed && !error.maybeProcessed
        #expect(isClear || (error.kind == .connectionLost && error.maybeProcessed), "\(error)")
      }
    }
  }
}
