import CurlewCore
import CurlewCurlTransport
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

/// What is refused, or put right, between a request and libcurl.
@Suite(.timeLimit(.minutes(10))) struct SendingTests {
  private func with(
    _ configuration: CurlTransport.Configuration = .init(), count: Int64 = 10,
    _ body: (CurlTransport, ScriptedOrigin) async throws -> Void
  ) async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok(.seeded(1), count: count) }
    let transport = try CurlTransport(configuration)
    try await body(transport, origin)
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a proxy without a host is refused, and not taken for none`() async throws {
    try await with { transport, origin in
      var settings = ExchangeSettings()
      settings.proxy = Proxy(host: "", port: 8080)
      let error = await #expect(throws: NetworkError.self) {
        try await transport.send(Request(.get, origin.url()), in: Exchange(settings))
      }
      #expect(error?.kind == .invalidRequest)
      #expect(origin.requests.isEmpty)
    }
  }

  @Test func `a request is not sent without a text that libcurl refuses`() async throws {
    try await with { transport, origin in
      var settings = ExchangeSettings()
      settings.proxy = Proxy(
        .socks5, host: "127.0.0.1", port: 9,
        credential: .password(user: "a", password: String(repeating: "b", count: 8_000_001)))
      let error = await #expect(throws: NetworkError.self) {
        try await transport.send(Request(.get, origin.url()), in: Exchange(settings))
      }
      #expect(error?.kind == .resourceExhausted)
    }
  }

  @Test func `the transport's own policy refuses plain http as an exchange's does`() async throws {
    struct Strict: ServerTrustEvaluating {
      var connectionKey: ConnectionKey { ConnectionKey("strict") }
      var requirements: HandshakeRequirements { HandshakeRequirements(refusesPlainHTTP: true) }
      func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {}
    }
    var configuration = CurlTransport.Configuration()
    configuration.defaultServerTrust = Strict()
    try await with(configuration) { transport, origin in
      let error = await #expect(throws: NetworkError.self) {
        try await transport.send(Request(.get, origin.url()), in: Exchange())
      }
      #expect(error?.kind == .serverTrustRefused)
      #expect(origin.requests.isEmpty)
      var settings = ExchangeSettings()
      settings.serverTrust = RecordingTrustEvaluator()
      let response = try await transport.send(Request(.get, origin.url()), in: Exchange(settings))
      #expect(response.head.status == .ok)
    }
  }

  @Test func `a limit out of its range counts as the nearest in it`() async throws {
    var configuration = CurlTransport.Configuration()
    configuration.requestsPerOrigin = -1
    configuration.connectionsKept = 0
    configuration.headerBytes = 0
    configuration.headerFields = -5
    configuration.bodyBuffer = 0
    configuration.continueWait = .seconds(Int64.max)
    try await with(configuration, count: 1_000_000) { transport, origin in
      // One field is allowed, and the origin sends more.
      let error = await #expect(throws: NetworkError.self) {
        try await transport.send(Request(.get, origin.url()), in: Exchange())
      }
      #expect(error?.kind == .headerLimitExceeded)
    }
    configuration.headerFields = 100
    try await with(configuration, count: 1_000_000) { transport, origin in
      let response = try await transport.send(Request(.get, origin.url()), in: Exchange())
      #expect(try await response.body.collect(upTo: 1 << 20).count == 1_000_000)
    }
  }

  @Test func `a FIFO in the place of a body's file holds no one up`() async throws {
    let path = "/tmp/curlew-fifo-" + String(UInt64.random(in: .min ... .max), radix: 36)
    close(open(path, O_CREAT | O_RDWR, 0o600))
    defer { unlink(path) }
    let body = try Body.file(URL(filePath: path))
    unlink(path)
    mkfifo(path, 0o600)
    try await with { transport, origin in
      // Of no bytes, as the file was: sent as such, and another request beside it is not held up.
      async let first = transport.send(Request(.post, origin.url("/fifo"), body: body), in: Exchange())
      let second = try await transport.send(Request(.get, origin.url("/other")), in: Exchange())
      #expect(second.head.status == .ok)
      #expect(try await first.head.status == .ok)
    }
  }

  /// On 8.14.1 most of these took a connection each: libcurl learned too late that nothing was left to be sent.
  @Test(arguments: [HTTPRequest.Method.post, .put, .patch], [Body.empty, .text("")])
  func `a refusal of an empty body leaves the connection for the next request`(
    method: HTTPRequest.Method, body: Body
  ) async throws {
    let origin = try await ScriptedOrigin.start { _ in .status(404, "not here") }
    let transport = try CurlTransport()
    for _ in 0..<50 {
      let response = try await transport.send(Request(method, origin.url(), body: body), in: Exchange())
      #expect(try await response.body.collect(upTo: 100) == Data("not here".utf8))
    }
    #expect(origin.counters.connectionsAccepted == 1)
    #expect(origin.requests.count == 50)
    for request in origin.requests {
      #expect(request.method == method.rawValue)
      #expect(request["Content-Length"] == "0")
      #expect(request["Content-Type"] == nil)
    }
    await transport.shutdown()
    await origin.stop()
  }
}
