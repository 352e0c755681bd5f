import CurlewCore
import CurlewTestSupport
import CurlewURLSessionTransport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct ResponseTests {
  @Test(arguments: [
    #"Basic realm="a""#, #"Basic realm="a", charset="UTF-8""#, "Basic", #"Digest realm="a", nonce="b", qop="auth""#,
    "Bearer", #"Bearer realm="x", error="invalid_token""#, "Negotiate", #"Odd x=1, Basic realm="y""#,
  ])
  func `a challenge is a response with its body, whatever was sent`(challenge: String) async throws {
    try await withOrigin { _ in
      .status(401, "who?", ["WWW-Authenticate": challenge])
    } _: { origin, transport in
      for authorization in [nil, "Basic YTpi", "Bearer x"] {
        var request = Request(.get, origin.url())
        request.headerFields[.authorization] = authorization
        let (head, body) = try await transport.fetch(request)
        #expect(head.status.code == 401)
        #expect(head.headerFields[.wwwAuthenticate] == challenge)
        #expect(body == Data("who?".utf8))
        #expect(origin.requests.last?["Authorization"] == authorization)
      }
      #expect(origin.requests.count == 3)
    }
  }

  @Test(arguments: [301, 302, 303, 307, 308], ["/next", "http://127.0.0.1:1/", "//other.test/x"])
  func `a redirect is not followed`(status: Int, location: String) async throws {
    try await withOrigin { _ in
      .status(status, "moved", ["Location": location])
    } _: { origin, transport in
      let (head, body) = try await transport.fetch(Request(.post, origin.url(), body: .text("x")))
      #expect(head.status.code == status)
      #expect(head.headerFields[.location] == location)
      #expect(body == Data("moved".utf8))
      #expect(origin.requests.count == 1)
    }
  }

  @Test func `the body of a redirect without a place is lost, and is not called whole`() async throws {
    try await withOrigin { request in
      request.path == "/chunks"
        ? .init(.head(302, ["Transfer-Encoding": "chunked"]), .chunk("moved"), .trailers())
        : .status(302, request.path == "/none" ? "" : "moved")
    } _: { origin, transport in
      for path in ["/length", "/chunks"] {
        let response = try await transport.send(Request(.get, origin.url(path)), in: Exchange())
        #expect(response.head.status.code == 302)
        let error = try await failure { _ = try await response.body.collect(upTo: 100) }
        #expect(error.kind == .truncatedBody)
      }
      #expect(try await transport.fetch(Request(.get, origin.url("/none"))).body.isEmpty)
      #expect(try await transport.fetch(Request(.head, origin.url("/length"))).body.isEmpty)
    }
  }

  @Test func `cookies stay apart and are not sent back`() async throws {
    let cookies = ["a=1; Expires=Wed, 21 Oct 2045 07:28:00 GMT; Path=/", "b=2", "c=3; HttpOnly"]
    try await withOrigin { _ in
      .ok("x", OriginFields(cookies.map { OriginFields.Line("Set-Cookie", $0) }))
    } _: { origin, transport in
      for _ in 0..<2 {
        let (head, _) = try await transport.fetch(Request(.get, origin.url()))
        #expect(head.headerFields[values: .setCookie] == cookies)
      }
      #expect(origin.requests.allSatisfy { $0["Cookie"] == nil })
    }
  }

  @Test func `informational heads are events, and too many are refused`() async throws {
    try await withOrigin { request in
      request.path == "/storm"
        ? .init([OriginStep](repeating: .interim(103), count: 200) + [.head(200, ["Content-Length": "0"])])
        : .init(.interim(102), .interim(103, ["Link": "</a>"]), .head(200, ["Content-Length": "1"]), .body("x"))
    } _: { origin, transport in
      let observer = RecordingObserver()
      var settings = ExchangeSettings()
      settings.observers = [observer]
      let (head, body) = try await transport.fetch(Request(.get, origin.url()), in: Exchange(settings))
      #expect(head.status.code == 200)
      #expect(body == Data("x".utf8))
      let heads = observer.kinds.compactMap { if case .informational(let head) = $0 { head } else { nil } }
      #expect(heads.map(\.status.code) == [102, 103])
      #expect(heads.last?.headerFields[named: "Link"] == "</a>")
      let error = try await failure { _ = try await transport.fetch(Request(.get, origin.url("/storm"))) }
      #expect(error.kind == .headerLimitExceeded)
    }
  }

  @Test func `events and the record tell what is known, and nothing else`() async throws {
    try await withOrigin { _ in
      .ok(.repeating(0x61), count: 300_000)
    } _: { origin, transport in
      let observer = RecordingObserver()
      var settings = ExchangeSettings()
      settings.observers = [observer]
      let exchange = Exchange(settings)
      _ = try await transport.fetch(
        Request(.post, origin.url(), body: .bytes(Data(count: 200_000))), in: exchange)
      _ = try await observer.first { $0.kind.name == "measured" }
      #expect(observer.names.last == "measured")
      #expect(observer.names.allSatisfy { ["sent", "responded", "received", "measured"].contains($0) })
      let metrics = try #require(exchange.metrics.first)
      #expect(exchange.metrics.count == 1)
      #expect(metrics.bytesSent == 200_000)
      #expect(metrics.bytesReceived == 300_000)
      #expect(metrics.bytesDelivered == 300_000)
      #expect(metrics.phases.total != nil)
      #expect(metrics.connectionReused == nil)
    }
  }

  @Test func `a slow reader ends in a typed error, and the server sees the transport leave`() async throws {
    var configuration = URLSessionTransport.Configuration()
    configuration.bodyBuffer = 1 << 20
    try await withOrigin(OriginOptions(), configuration) { _ in
      // Without a limit the body could keep Foundation's only queue busy; see URLSessionTransport.
      .ok(.seeded(1), count: 1 << 40).throttled(to: 100_000_000)
    } _: { origin, transport in
      let response = try await transport.send(Request(.get, origin.url()), in: Exchange())
      await origin.until { $0.connectionsOpen == 0 && $0.connectionsAccepted == 1 }
      let error = try await failure { for try await _ in response.body {} }
      #expect(error.kind == .bufferLimitExceeded)
      #expect(error.details.response?.status.code == 200)
    }
  }

  @Test func `a smaller buffer is kept to`() async throws {
    var configuration = URLSessionTransport.Configuration()
    configuration.bodyBuffer = 1
    try await withOrigin(OriginOptions(), configuration) { request in
      // So long that Foundation gives the transfer up before the answer is over, which would leave the connection open.
      .ok(.seeded(1), count: request.path == "/small" ? 60_000 : 1 << 40).throttled(to: 100_000_000)
    } _: { origin, transport in
      #expect(try await transport.fetch(Request(.get, origin.url("/small"))).body.count == 60_000)
      let response = try await transport.send(Request(.get, origin.url()), in: Exchange())
      await origin.until { $0.connectionsOpen < $0.connectionsAccepted }
      let error = try await failure { for try await _ in response.body {} }
      #expect(error.kind == .bufferLimitExceeded)
    }
  }

  @Test func `HEAD, 204 and 304 have no body and expect none`() async throws {
    try await withOrigin { request in
      switch request.path {
      case "/204": .status(204)
      case "/304": .init(.head(304, ["ETag": "\"1\"", "Content-Length": "1000"]))
      default: .ok("hello")
      }
    } _: { origin, transport in
      for (method, path) in [(.head, "/"), (.get, "/204"), (.get, "/304")] as [(HTTPRequest.Method, String)] {
        let (head, body) = try await transport.fetch(Request(method, origin.url(path)))
        #expect(body.isEmpty)
        #expect(head.expectedLength == 0)
      }
    }
  }
}
