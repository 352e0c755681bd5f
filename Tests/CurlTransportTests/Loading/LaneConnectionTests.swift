import CurlewCore
import CurlewCurlTransport
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Which connection a request over HTTP/2 gets when those of its lane end, hang or are slow.
@Suite(.timeLimit(.minutes(10)), .enabled(if: CurlTransport.offersHTTP2, "this libcurl is not reliable over HTTP/2"))
struct LaneConnectionTests {
  private let settings: ExchangeSettings
  private let identity: TestIdentity

  init() throws {
    identity = try TestIdentity.authority().issue()
    var settings = ExchangeSettings()
    settings.serverTrust = ExactTrustEvaluator(identity.chain.map { Data($0.der) })
    self.settings = settings
  }

  private func request(_ url: URL, _ delivery: ResponseDelivery = .collected, total: Duration? = nil) -> Request {
    var request = Request(.get, url)
    request.options.delivery = delivery
    request.options.timeouts.total = total
    return request
  }

  private func send(_ request: Request, over transport: CurlTransport) -> Task<Int, any Error> {
    Task { [settings] in
      let response = try await transport.send(request, in: Exchange(settings))
      _ = try await response.body.collect(upTo: 100_000)
      return response.head.status.code
    }
  }

  @Test func `when a server ends a connection that many requests share, few new connections take its place`()
    async throws
  {
    let gate = OriginGate()
    let announced = OriginGate()
    // Whoever makes a new connection waits for it, as on a long way.
    let origin = try FrameOrigin.start(identity, ignoring: 2..<1_000) { request in
      let goAway: [FrameStep] = [
        .goAway(), .frame(6, stream: 0, [1, 2, 3, 4, 5, 6, 7, 8]), .waitForPong, .wait(for: announced),
      ]
      return (request.number == 21 ? goAway : []) + (request.number > 1 ? [.wait(for: gate)] : []) + [
        .head(200, ends: true)
      ]
    }
    let transport = try CurlTransport.speaking(.http2)
    #expect(try await send(request(origin.url), over: transport).value == 200)
    var running = (0..<19).map { _ in send(request(origin.url), over: transport) }
    try await origin.requests(20)
    running.append(send(request(origin.url), over: transport))
    await announced.reached()
    announced.open()
    let other = try await ScriptedOrigin.start { _ in .ok("other") }
    var waiting: [Task<Int, any Error>] = []
    for _ in 0..<30 {
      waiting.append(send(request(origin.url), over: transport))
      // So that the transport does not see all of them at once.
      #expect(try await send(request(other.url()), over: transport).value == 200)
    }
    #expect(origin.acceptedConnections <= 16, "the first request makes one, and each further eight share one")
    gate.open()
    for task in running { #expect(try await task.value == 200) }
    #expect(origin.requests.allSatisfy { $0.connection == 1 } && origin.requests.count == 21)
    for task in waiting { task.cancel() }
    for task in waiting { _ = await task.result }
    await transport.shutdown()
    origin.stop()
    await other.stop()
  }

  @Test func `a request that needs a fresh connection does not limit how many share one`() async throws {
    let gate = OriginGate()
    let origin = try FrameOrigin.start(identity) { request in
      request.number > 1 ? [.wait(for: gate), .head(200, ends: true)] : [.head(200, ends: true)]
    }
    let transport = try CurlTransport.speaking(.http2)
    #expect(try await send(request(origin.url), over: transport).value == 200)
    var held = (0..<10).map { _ in send(request(origin.url), over: transport) }
    try await origin.requests(11)
    held.append(
      Task { [settings, request = request(origin.url)] in
        let exchange = Exchange(settings).derived(freshConnection: true)
        return try await transport.send(request, in: exchange).head.status.code
      })
    try await origin.requests(12)
    held += (0..<20).map { _ in send(request(origin.url), over: transport) }
    try await origin.requests(32)
    let connections = origin.requests.map(\.connection)
    #expect(Set(connections) == [1, 2], "\(connections)")
    gate.open()
    for task in held { #expect(try await task.value == 200) }
    await transport.shutdown()
    origin.stop()
  }

  @Test func `a request over HTTP/1.1 does not limit how many share a connection over HTTP/2`() async throws {
    let gate = OriginGate()
    let origin = try FrameOrigin.start(identity, speaksHTTP1: true) { request in
      request.number == 2 || request.number > 4 ? [.wait(for: gate), .head(200, ends: true)] : [.head(200, ends: true)]
    }
    let transport = try CurlTransport.speaking(.automatic)
    #expect(try await send(request(origin.url), over: transport).value == 200)
    // Keeps the lane from becoming empty.
    var held = [send(request(origin.url), over: transport)]
    try await origin.requests(2)
    var old = request(origin.url)
    old.options.version = .http1
    #expect(try await send(old, over: transport).value == 201)
    #expect(try await send(request(origin.url), over: transport).value == 200)
    held += (0..<30).map { _ in send(request(origin.url), over: transport) }
    try await origin.requests(34)
    #expect(Set(origin.requests.filter { $0.stream > 0 }.map(\.connection)) == [1])
    gate.open()
    for task in held { #expect(try await task.value == 200) }
    await transport.shutdown()
    origin.stop()
  }

  @Test func `a reader that is slow until its timeout does not make its server look stalled`() async throws {
    let gate = OriginGate()
    let origin = try FrameOrigin.start(identity) { request in
      request.number == 2
        ? [.head(200), .content(String(repeating: "x", count: 60_000))] : [.wait(for: gate), .head(200, ends: true)]
    }
    var configuration = CurlTransport.Configuration()
    configuration.version = .http2
    configuration.bodyBuffer = 16 * 1024
    let transport = try CurlTransport(configuration)
    var held = [send(request(origin.url), over: transport)]
    try await origin.requests(1)
    let unread = try await transport.send(
      request(origin.url, total: .seconds(3)), in: Exchange(settings))
    // Sleeps because the reader has to be slower than its timeout.
    try await Task.sleep(for: .milliseconds(3_200))
    await #expect(throws: NetworkError.self) { try await unread.body.collect(upTo: 100_000) }
    held += (0..<20).map { _ in send(request(origin.url), over: transport) }
    try await origin.requests(22)
    #expect(Set(origin.requests.dropFirst(2).map(\.connection)).count == 3, "eight share each of them")
    gate.open()
    for task in held { #expect(try await task.value == 200) }
    await transport.shutdown()
    origin.stop()
  }

  @Test func `without TLS, requests that wait for a slow answer join a connection that has answered`() async throws {
    let gate = OriginGate()
    let origin = try FrameOrigin.start(nil) { request in
      (request.number == 1 ? [.wait(for: gate)] : []) + [.head(200, ends: true)]
    }
    let transport = try CurlTransport.speaking(.http2PriorKnowledge)
    let first = send(request(origin.url), over: transport)
    try await origin.requests(1)
    // Each would make the others wait twice as long, beyond the time for a connection.
    let others = (0..<8).map { _ in send(request(origin.url), over: transport) }
    for task in others { #expect(try await task.value == 200) }
    #expect(Set(origin.requests.map(\.connection)).count <= 3)
    gate.open()
    #expect(try await first.value == 200)
    await transport.shutdown()
    origin.stop()
  }

  @Test func `half an answer of a proxy is forgotten when its request moves to another tunnel`() async throws {
    let origin = try FrameOrigin.start(identity) { _ in [.head(200, ends: true)] }
    let count = Guarded(0)
    let proxy = try await ScriptedProxy.start { _ in
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      return isFirst ? .reply([UInt8]("HTTP/1.1 200 Connection established\r\n".utf8), closes: false) : .forward
    }
    let transport = try CurlTransport.speaking(.http2)
    var proxied = settings
    proxied.proxy = Proxy(host: "127.0.0.1", port: proxy.port)
    let tasks = (0..<2).map { _ in
      Task { [proxied, request = request(origin.url)] in
        try await transport.send(request, in: Exchange(proxied)).head.status.code
      }
    }
    for task in tasks { #expect(try await task.value == 200) }
    #expect(origin.requests.map(\.connection) == [1, 1])
    await transport.shutdown()
    origin.stop()
    await proxy.stop()
  }
}
