import CurlewCore
import CurlewSecurity
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewCurlTransport

/// Two-way connections over libcurl: what goes in comes out, on every way to the server, and nothing is left behind.
@Suite struct DuplexConnectionTests {
  /// An origin that sends back what arrives behind the head of a request.
  private static func echoing(_ options: OriginOptions = OriginOptions()) async throws -> ScriptedOrigin {
    try await ScriptedOrigin.start(options) { _ in
      OriginReply(
        .head(101, ["Upgrade": "echo", "Connection": "Upgrade"]),
        .converse { connection in
          while let bytes = try? await connection.receive() {
            guard (try? await connection.send(bytes)) != nil else { return }
          }
        })
    }
  }

  private static let upgrade = "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n"

  /// Receives until a number of bytes has arrived.
  private static func receive(_ count: Int, from connection: DuplexConnection) async throws -> Data {
    var all = Data()
    while all.count < count, let bytes = try await connection.receive() { all.append(bytes) }
    return all
  }

  /// Sends a request, and reads the head of its answer.
  private static func shakeHands(_ connection: DuplexConnection) async throws {
    try await connection.send(Data(upgrade.utf8))
    var head = Data()
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), let bytes = try await connection.receive() {
      head.append(bytes)
    }
    #expect(String(decoding: head, as: UTF8.self).hasPrefix("HTTP/1.1 101 "))
  }

  /// Checks that an echo comes back.
  private static func converse(_ connection: DuplexConnection) async throws {
    try await shakeHands(connection)
    for size in [1, 100, 70_000] {
      let sent = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      try await connection.send(sent)
      #expect(try await receive(size, from: connection) == sent)
    }
  }

  private static func trusting() -> ExchangeSettings {
    var settings = ExchangeSettings()
    settings.serverTrust = RecordingTrustEvaluator(key: "trusts")
    return settings
  }

  @Test func `bytes go both ways over TCP, and the metrics say how the connection was made`() async throws {
    let origin = try await Self.echoing()
    let transport = try CurlTransport()
    let observer = RecordingObserver()
    var settings = ExchangeSettings()
    settings.observers = [observer]
    let connection = try await transport.connect(Request(.get, origin.url()), in: Exchange(settings))
    try await Self.converse(connection)
    #expect(connection.metrics.remoteAddress == "127.0.0.1:\(origin.port)")
    #expect(connection.metrics.connectionReused == false)
    #expect(connection.metrics.phases.connect != nil)
    let connected = observer.events.filter { if case .connected(reused: false) = $0.kind { true } else { false } }
    #expect(connected.count == 1)
    connection.close()
    #expect(await origin.until { $0.connectionsOpen == 0 })
    await transport.shutdown()
    await origin.stop()
  }

  @Test(arguments: [OriginTLS.Version.tls12, .tls13])
  func `bytes go both ways over TLS, and only HTTP/1.1 is offered`(_ version: OriginTLS.Version) async throws {
    let identity = try TestIdentity.selfSigned()
    let tls = OriginTLS(identity).with {
      $0.versions = version...version
      $0.applicationProtocols = ["h2", "http/1.1"]
    }
    let origin = try await Self.echoing(.with { $0.tls = tls })
    let transport = try CurlTransport()
    for _ in 0..<3 {
      let connection = try await transport.connect(Request(.get, origin.url()), in: Exchange(Self.trusting()))
      try await Self.converse(connection)
      #expect(connection.metrics.phases.tls != nil)
      connection.close()
    }
    #expect(origin.requests.map { $0.tls?.applicationProtocol } == ["http/1.1", "http/1.1", "http/1.1"])
    #expect(await origin.until { $0.connectionsOpen == 0 })
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a server that the policy refuses gets nothing`() async throws {
    let origin = try await Self.echoing(.with { $0.tls = try? OriginTLS(TestIdentity.selfSigned()) })
    let transport = try CurlTransport()
    var settings = ExchangeSettings()
    settings.serverTrust = RecordingTrustEvaluator(key: "refuses") { _ throws(ServerTrustError) in
      throw ServerTrustError(.policy, message: "Refused.")
    }
    for settings in [settings, ExchangeSettings()] {
      let error = await #expect(throws: NetworkError.self) {
        try await transport.connect(Request(.get, origin.url()), in: Exchange(settings))
      }
      #expect(error?.kind == .serverTrustRefused)
      #expect(error?.maybeProcessed == false)
    }
    #expect(origin.requests.isEmpty)
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `pins hold: a server with another key gets nothing, and the pinned one is conversed with`() async throws {
    let authority = try TestIdentity.authority()
    let (pinned, other) = (try authority.issue(), try authority.issue())
    var policy = SecurityPolicy.Settings()
    policy.pinningMode = .publicKey
    policy.anchors = .only([try Certificate(der: Data(authority.root.der))])
    policy.pinnedCertificates = [try Certificate(der: Data(pinned.certificate.der))]
    var settings = ExchangeSettings()
    settings.serverTrust = try SecurityPolicy(policy)
    let transport = try CurlTransport()
    for (identity, isPinned) in [(pinned, true), (other, false), (pinned, true)] {
      let origin = try await Self.echoing(.with { $0.tls = OriginTLS(identity) })
      let request = Request(.get, origin.url(host: "localhost"))
      if isPinned {
        let connection = try await transport.connect(request, in: Exchange(settings))
        try await Self.converse(connection)
        connection.close()
      } else {
        let error = await #expect(throws: NetworkError.self) {
          try await transport.connect(request, in: Exchange(settings))
        }
        #expect(error?.details.trust?.reason == .pinMismatch)
        #expect(origin.requests.isEmpty && origin.counters.handshakes == 0)
      }
      await origin.stop()
    }
    await transport.shutdown()
  }

  @Test func `a client identity is presented to a server that asks for one`() async throws {
    let client = try TestIdentity.selfSigned()
    let tls = try OriginTLS(TestIdentity.selfSigned()).with { $0.clientCertificates = .required }
    let origin = try await Self.echoing(.with { $0.tls = tls })
    let transport = try CurlTransport()
    var settings = Self.trusting()
    settings.clientIdentity = ClientIdentity(
      certificateChain: Data(client.chainPEM.utf8), privateKey: Data(client.key.pem.utf8))
    let connection = try await transport.connect(Request(.get, origin.url()), in: Exchange(settings))
    try await Self.converse(connection)
    #expect(origin.requests.first?.tls?.clientCertificate == client.certificate.der)
    connection.close()
    await transport.shutdown()
    await origin.stop()
  }

  @Test(arguments: [false, true]) func `an HTTP proxy gets CONNECT, with TLS to the server and without`(
    _ isSecure: Bool
  ) async throws {
    let origin = try await Self.echoing(.with { $0.tls = isSecure ? try? OriginTLS(TestIdentity.selfSigned()) : nil })
    let proxy = try await ScriptedProxy.start(credentials: "curlew:secret")
    let transport = try CurlTransport()
    var settings = Self.trusting()
    settings.proxy = Proxy(host: "127.0.0.1", port: proxy.port)
    let refused = settings
    let error = await #expect(throws: NetworkError.self) {
      try await transport.connect(Request(.get, origin.url()), in: Exchange(refused))
    }
    #expect(error?.kind == .proxyChallenge)
    settings.proxy?.authorization = "Basic Y3VybGV3OnNlY3JldA=="
    let connection = try await transport.connect(Request(.get, origin.url()), in: Exchange(settings))
    try await Self.converse(connection)
    #expect(proxy.requests.map(\.method) == ["CONNECT", "CONNECT"])
    #expect(origin.requests.first?["Proxy-Authorization"] == nil)
    connection.close()
    await transport.shutdown()
    await origin.stop()
    await proxy.stop()
  }

  @Test func `a SOCKS proxy leads to the server`() async throws {
    let origin = try await Self.echoing()
    let proxy = try await ScriptedSOCKSProxy.start()
    let transport = try CurlTransport()
    var settings = ExchangeSettings()
    settings.proxy = Proxy(.socks5, host: "127.0.0.1", port: proxy.port)
    let connection = try await transport.connect(Request(.get, origin.url()), in: Exchange(settings))
    try await Self.converse(connection)
    #expect(proxy.requests.count == 1)
    connection.close()
    await transport.shutdown()
    await origin.stop()
    await proxy.stop()
  }

  @Test func `an address override and a Unix socket lead to another place than the URL's`() async throws {
    let path = "/tmp/curlew-duplex-\(getpid())-\(UInt32.random(in: 0 ... .max)).socket"
    let origin = try await Self.echoing(.with { $0.addresses = [.ipv4, .unix(path)] })
    let transport = try CurlTransport()
    var overridden = Request(.get, try #require(URL(string: "http://curlew.invalid/")))
    overridden.options.addressOverrides = [
      AddressOverride(host: "curlew.invalid", address: "127.0.0.1", addressPort: origin.port)
    ]
    var local = Request(.get, try #require(URL(string: "http://curlew.invalid/")))
    local.options.unixSocketPath = path
    for request in [overridden, local] {
      let connection = try await transport.connect(request, in: Exchange())
      try await Self.converse(connection)
      connection.close()
    }
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `bytes that nobody receives stay with the sender`() async throws {
    let gate = Sent()
    let origin = try await ScriptedOrigin.start { _ in
      OriginReply(
        .head(101),
        .converse { connection in
          let piece = Data(repeating: 7, count: 65_536)
          for _ in 0..<1024 {
            guard (try? await connection.send(piece)) != nil else { return }
            gate.count.withLock { $0 += piece.count }
          }
        })
    }
    let transport = try CurlTransport()
    let connection = try await transport.connect(Request(.get, origin.url()), in: Exchange())
    try await connection.send(Data(Self.upgrade.utf8))
    let first = try #require(try await connection.receive())
    // Sleeps because nothing tells that bytes stay away.
    try await Task.sleep(for: .milliseconds(300))
    #expect(gate.count.withLock { $0 } < 32 << 20, "the kernel's buffers are full")
    var count = first.count
    while let bytes = try await connection.receive() {
      #expect(bytes.count <= 192 * 1024)
      count += bytes.count
    }
    #expect(count == 64 << 20 + "HTTP/1.1 101 Switching Protocols\r\n\r\n".utf8.count)
    await transport.shutdown()
    await origin.stop()
  }

  private final class Sent: Sendable { let count = Guarded(0) }

  @Test func `a sender waits for a peer that does not read`() async throws {
    let read = OriginGate()
    let arrived = Sent()
    let origin = try await ScriptedOrigin.start { _ in
      OriginReply(
        .head(101), .wait(for: read),
        .converse { connection in
          while let bytes = try? await connection.receive() { arrived.count.withLock { $0 += bytes.count } }
        })
    }
    let transport = try CurlTransport()
    let connection = try await transport.connect(Request(.get, origin.url()), in: Exchange())
    try await connection.send(Data(Self.upgrade.utf8))
    let sent = Sent()
    let sending = Task {
      for _ in 0..<1024 {
        try await connection.send(Data(repeating: 1, count: 65_536))
        sent.count.withLock { $0 += 65_536 }
      }
    }
    // Sleeps because nothing tells that a sender waits.
    try await Task.sleep(for: .milliseconds(300))
    #expect(sent.count.withLock { $0 } < 32 << 20)
    #expect(connection.unsentBytes <= 128 * 1024)
    read.open()
    try await sending.value
    connection.close()
    #expect(await origin.until { $0.connectionsOpen == 0 })
    #expect(arrived.count.withLock { $0 } == 64 << 20)
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a connection that ends without warning is an error, and one that is ended an end`() async throws {
    let transport = try CurlTransport()
    for (secure, ending, isError) in [
      (false, OriginStep.close, false), (false, .reset, true), (true, .close, false), (true, .cut, true),
    ] {
      let origin = try await ScriptedOrigin.start(
        .with { $0.tls = secure ? try? OriginTLS(TestIdentity.selfSigned()) : nil }
      ) { _ in OriginReply(.head(101), .raw("abc"), .wait(.milliseconds(50)), ending) }
      let connection = try await transport.connect(Request(.get, origin.url()), in: Exchange(Self.trusting()))
      try await connection.send(Data(Self.upgrade.utf8))
      do {
        while try await connection.receive() != nil {}
        #expect(!isError, "\(secure), \(ending)")
      } catch let error as NetworkError {
        #expect(isError, "\(secure), \(ending)")
        #expect(error.kind == .connectionLost)
        await #expect(throws: NetworkError.self) { try await connection.send(Data([1])) }
      }
      await origin.stop()
    }
    await transport.shutdown()
  }

  @Test(arguments: [OriginTLS.Version.tls12, .tls13])
  func `a server that leaves right after the handshake, without a word, harms nothing`(
    version: OriginTLS.Version
  ) async throws {
    let transport = try CurlTransport()
    let limit = Guarded(0)
    let tls = OriginTLS(try TestIdentity.selfSigned()).with { $0.versions = version...version }
    let origin = try await ScriptedOrigin.start(
      .with {
        $0.tls = tls
        $0.connection = { _ in ConnectionBehaviour(handshake: .cut(afterBytes: limit.withLock { $0 })) }
      }
    ) { _ in OriginReply(.close) }
    /// Connects to a server that leaves after a number of bytes; returns whether the handshake was made.
    func connects(_ bytes: Int) async -> Bool {
      limit.withLock { $0 = bytes }
      guard let made = try? await transport.connect(Request(.get, origin.url()), in: Exchange(Self.trusting())) else {
        return false
      }
      made.cancel()
      return true
    }
    // The fewest bytes that make the handshake, so that the server leaves right behind it.
    var (few, enough) = (100, 100_000)
    while enough - few > 1 {
      let middle = (few + enough) / 2
      if await connects(middle) { enough = middle } else { few = middle }
    }
    for _ in 0..<20 { _ = await connects(enough) }
    #expect(await connects(100_000))
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a connection that is released, cancelled or shut down is closed`() async throws {
    let origin = try await Self.echoing()
    let transport = try CurlTransport()
    let released = try await transport.connect(Request(.get, origin.url()), in: Exchange())
    let cancelled = try await transport.connect(Request(.get, origin.url()), in: Exchange())
    let shutDown = try await transport.connect(Request(.get, origin.url()), in: Exchange())
    for connection in [released, cancelled, shutDown] { try await Self.converse(connection) }
    _ = consume released
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.receive() }
    await #expect(throws: CancellationError.self) { try await cancelled.send(Data([1])) }
    #expect(await origin.until { $0.connectionsOpen == 1 })
    await transport.shutdown()
    let error = await #expect(throws: NetworkError.self) { try await shutDown.receive() }
    #expect(error?.kind == .transportShutDown)
    #expect(await origin.until { $0.connectionsOpen == 0 })
    await origin.stop()
  }

  @Test func `a task that is cancelled while it connects leaves nothing behind`() async throws {
    let origin = try await Self.echoing()
    let transport = try CurlTransport()
    for round in 0..<100 {
      let task = Task { try await transport.connect(Request(.get, origin.url()), in: Exchange()) }
      for _ in 0..<round % 10 { await Task.yield() }
      task.cancel()
      switch await task.result {
      case .success(let connection): connection.cancel()
      case .failure(let error): #expect(error is CancellationError)
      }
    }
    #expect(await origin.until { $0.connectionsOpen == 0 })
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a server that does not answer the handshake ends the wait with the connect timeout`() async throws {
    let tls = try OriginTLS(TestIdentity.selfSigned()).with { $0.handshake = .stalled }
    let origin = try await Self.echoing(.with { $0.tls = tls })
    let transport = try CurlTransport()
    var request = Request(.get, origin.url())
    request.options.timeouts.connect = .milliseconds(300)
    let refused = request
    let error = await #expect(throws: NetworkError.self) {
      try await transport.connect(refused, in: Exchange(Self.trusting()))
    }
    #expect(error?.kind == .connectTimedOut)
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `requests and two-way connections live side by side, and idle connections are not taken for dead ones`()
    async throws
  {
    let origin = try await ScriptedOrigin.start { request in
      guard request["Upgrade"] != nil else { return .ok("hello") }
      return OriginReply(
        .head(101),
        .converse { connection in
          while let bytes = try? await connection.receive() { try? await connection.send(bytes) }
        })
    }
    let transport = try CurlTransport()
    let connections = try await withThrowingTaskGroup(of: DuplexConnection.self) { group in
      for _ in 0..<40 {
        group.addTask {
          let connection = try await transport.connect(Request(.get, origin.url()), in: Exchange())
          try await Self.shakeHands(connection)
          return connection
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    for round in 0..<3 {
      // Sleeps because libcurl looks for dead connections once a second.
      try await Task.sleep(for: .milliseconds(1100))
      let response = try await transport.send(Request(.get, origin.url()), in: Exchange())
      #expect(try await response.body.collect(upTo: 100).count == 5)
      for connection in connections {
        try await connection.send(Data([UInt8(round)]))
        let bytes = try await connection.receive()
        #expect(bytes?.last == UInt8(round))
      }
    }
    for connection in connections { connection.close() }
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a rate limit is refused`() async throws {
    let transport = try CurlTransport()
    var request = Request(.get, try #require(URL(string: "http://127.0.0.1:1/")))
    request.options.rateLimit = RateLimit(send: 1)
    let refused = request
    let error = await #expect(throws: NetworkError.self) {
      try await transport.connect(refused, in: Exchange())
    }
    #expect(error?.kind == .unsupported)
    await transport.shutdown()
  }
}
