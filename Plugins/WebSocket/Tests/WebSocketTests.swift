import CurlewCore
import CurlewCurlTransport
import CurlewHAR
import CurlewJSON
import CurlewLoading
import CurlewRequests
import CurlewSecurity
import CurlewSerialization
import CurlewSession
import CurlewTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import CurlewWebSocket

/// `HTTPSession.webSocket` over libcurl and sockets, with a scripted origin.
struct WebSocketTests {
  private struct Bird: Codable, Sendable, Equatable { var name: String }

  /// A session whose transport it shuts down with its last copy.
  private func session(
    _ origin: ScriptedOrigin, _ change: (inout SessionConfiguration) -> Void = { _ in }
  ) throws -> HTTPSession {
    var configuration = SessionConfiguration(.made { try CurlTransport() })
    configuration.baseURL = try BaseURL(origin.address("/birds/"))
    configuration.formats.add(.json)
    change(&configuration)
    return HTTPSession(configuration)
  }

  /// An origin whose WebSockets run a script.
  private func origin(
    _ options: OriginOptions = OriginOptions(), _ script: @escaping @Sendable (ScriptedPeer) async throws -> Void
  ) async throws -> ScriptedOrigin {
    try await ScriptedOrigin.start(options) { ScriptedPeer.reply(to: $0) { try await script($0) } }
  }

  @Test(arguments: [false, true]) func `a message that is echoed arrives as it was sent`(_ isSecure: Bool) async throws
  {
    let tls = isSecure ? try OriginTLS(TestIdentity.selfSigned()) : nil
    let origin = try await origin(.with { $0.tls = tls }) { try await $0.echo() }
    let session = try session(origin) { $0.settings.serverTrust = RecordingTrustEvaluator(key: "trusts") }
    let socket = try await session.webSocket(
      "chat", parameters: ["room": 7], headerFields: [.origin: "https://a.example"])
    #expect(socket.response.status.code == 101)
    let messages: [WebSocketMessage] = [
      .text("čurlew"), .text(""), .binary(Data([0, 255])), .text(String(repeating: "a", count: 100_000)),
    ]
    for message in messages {
      try await socket.send(message)
      #expect(try await socket.receive() == message)
    }
    let closure = try await socket.close(.normal, reason: "done")
    #expect(try await socket.receive() == nil)
    #expect(closure == WebSocketClosure(.normal, reason: "done"))
    let request = try #require(origin.requests.first)
    #expect(request.target == "/birds/chat?room=7")
    #expect(request["Origin"] == "https://a.example")
    #expect(request["Sec-WebSocket-Version"] == "13")
    #expect(request["User-Agent"]?.hasPrefix("Curlew") ?? false || request["User-Agent"] != nil)
    #expect(await origin.until { $0.connectionsOpen == 0 })
    await origin.stop()
  }

  @Test func `an archive has the handshake as an entry, and no message`() async throws {
    let path = NSTemporaryDirectory() + "/curlew-websocket-\(UUID().uuidString).har"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let recorder = try HARRecorder(path)
    let origin = try await origin { try await $0.echo() }
    let session = try session(origin) { $0.settings.observers.append(recorder) }
    let socket = try await session.webSocket("chat", parameters: ["token": "secret"])
    try await socket.send("hello")
    #expect(try await socket.receive() == .text("hello"))
    try await socket.close()
    recorder.close()
    let entries = try HARDocument(contentsOf: path).entries
    #expect(entries.map { $0.head?.status.code } == [101])
    #expect(entries.first?.request.url.path() == "/birds/chat")
    #expect(entries.first?.error == nil)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(!text.contains("hello") && !text.contains("secret"))
    await origin.stop()
  }

  @Test func `a URL of ws is taken for http`() async throws {
    let origin = try await origin { try await $0.echo() }
    let session = try session(origin)
    let socket = try await session.webSocket("WS://127.0.0.1:\(origin.port)/other")
    #expect(origin.requests.first?.target == "/other")
    try await socket.close()
    await origin.stop()
  }

  @Test func `a compressed message is understood in both directions`() async throws {
    for answer in [
      "permessage-deflate", "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
      "permessage-deflate; server_max_window_bits=9; client_max_window_bits=9",
    ] {
      let origin = try await ScriptedOrigin.start { request in
        var fields = HandshakeTests.answer("k")
        fields[.webSocketExtensions] = answer
        let agreed = try? UpgradeOffer(compression: WebSocketCompression()).check(fields, key: "k").compression
        return ScriptedPeer.reply(to: request, ["Sec-WebSocket-Extensions": answer], compression: agreed) {
          try await $0.echo()
        }
      }
      var options = WebSocketOptions()
      options.compression = WebSocketCompression()
      let socket = try await session(origin).webSocket("chat", webSocket: options)
      #expect(socket.isCompressed)
      for size in [10, 100, 1000, 100_000] {
        let text = String(repeating: "curlew \(size) ", count: size / 8)
        try await socket.send(text)
        #expect(try await socket.receive() == .text(text))
      }
      try await socket.close()
      #expect(
        origin.requests.first?["Sec-WebSocket-Extensions"] == "permessage-deflate; client_max_window_bits")
      await origin.stop()
    }
  }

  @Test func `a subprotocol is chosen by the server among those that are offered`() async throws {
    let origin = try await ScriptedOrigin.start {
      ScriptedPeer.reply(to: $0, ["Sec-WebSocket-Protocol": "c"]) { try await $0.echo() }
    }
    var options = WebSocketOptions()
    options.subprotocols = ["b", "c"]
    let socket = try await session(origin).webSocket("chat", webSocket: options)
    #expect(socket.subprotocol == "c")
    #expect(origin.requests.first?["Sec-WebSocket-Protocol"] == "b, c")
    try await socket.close()
    options.subprotocols = ["b", "b"]
    let wrong = options
    let error = await #expect(throws: NetworkError.self) {
      try await session(origin).webSocket("chat", webSocket: wrong)
    }
    #expect(error?.kind == .invalidRequest)
    await origin.stop()
  }

  // MARK: The handshake is a request of the session

  @Test func `a handshake follows redirects, answers challenges and has the session's cookies`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      switch request.path {
      case "/birds/old": return OriginReply.status(302, ["Location": "/login", "Set-Cookie": "seen=old; Path=/"])
      case "/login" where request["Authorization"] == nil:
        return .status(401, "who?", type: "text/plain", ["WWW-Authenticate": "Basic realm=\"birds\""])
      default: return ScriptedPeer.reply(to: request) { try await $0.echo() }
      }
    }
    let jar = MemoryCookieJar()
    let space = ProtectionSpace(origin: try Origin(origin.url()), scheme: "basic", realm: "birds")
    let store = MemoryCredentialStore([space: .password(user: "curlew", password: "secret")])
    let observer = RecordingObserver()
    let session = try session(origin) { configuration in
      configuration.chain.redirect = Redirect()
      configuration.chain.cookies = Cookies(jar)
      configuration.chain.authentication = Authentication(store: store)
      configuration.settings.observers = [observer]
    }
    let socket = try await session.webSocket("old")
    #expect(origin.requests.map(\.path) == ["/birds/old", "/login", "/login"])
    #expect(origin.requests.last?["Cookie"] == "seen=old")
    #expect(origin.requests.last?["Authorization"] == "Basic Y3VybGV3OnNlY3JldA==")
    #expect(Set(origin.requests.map { $0["Sec-WebSocket-Key"] }).count == 3)
    #expect(socket.metrics.count == 3)
    #expect(socket.metrics.last?.remoteAddress == "127.0.0.1:\(origin.port)")
    let statuses = observer.events.compactMap { event -> Int? in
      if case .responded(let head) = event.kind { head.status.code } else { nil }
    }
    #expect(statuses == [302, 401, 101])
    try await socket.close()
    await origin.stop()
  }

  @Test func `an answer other than 101 is an error with its status and the start of its content`() async throws {
    for reply in [
      OriginReply.status(403, "no birds here"),
      OriginReply(.head(403, ["Transfer-Encoding": "chunked"]), .chunk("no "), .chunk("birds here"), .trailers()),
      OriginReply(.raw("HTTP/1.1 403 Forbidden\r\n\r\nno birds here"), .close),
    ] {
      let origin = try await ScriptedOrigin.start { _ in reply }
      let error = await #expect(throws: NetworkError.self) { try await session(origin).webSocket("chat") }
      #expect(error?.kind == .unacceptableStatus)
      #expect(error?.status == .forbidden)
      #expect(error?.details.responseBody == Data("no birds here".utf8))
      #expect(await origin.until { $0.connectionsOpen == 0 })
      await origin.stop()
    }
  }

  @Test func `a refusal whose content does not come is known when the time is over`() async throws {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { _ in
      OriginReply(.raw("HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\nno birds"), .wait(for: gate))
    }
    var options = RequestOptions()
    options.timeouts.idle = .milliseconds(200)
    let impatient = options
    let error = await #expect(throws: NetworkError.self) {
      try await session(origin).webSocket("chat", options: impatient)
    }
    #expect(error?.status == .forbidden && error?.details.responseBody == Data("no birds".utf8))
    #expect(await origin.until { $0.connectionsOpen == 0 })
    gate.open()
    await origin.stop()
  }

  @Test func `what is for a proxy does not reach the server`() async throws {
    let origin = try await origin { try await $0.echo() }
    let socket = try await session(origin).webSocket(
      "chat", headerFields: [.proxyAuthorization: "Basic c2VjcmV0OnByb3h5"])
    #expect(origin.requests.count == 1 && origin.requests.first?["Proxy-Authorization"] == nil)
    try await socket.close()
    await origin.stop()
  }

  @Test func `an answer that breaks a rule of the handshake is an error`() async throws {
    for head in [
      "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: wrong\r\n\r\n",
      "HTTP/1.0 101 Switching\r\nUpgrade: websocket\r\n\r\n", "HTTP/2 101\r\n\r\n", "SSH-2.0-OpenSSH\r\n\r\n",
      "HTTP/1.1 101 Switching\r\n folded: line\r\n\r\n", "HTTP/1.1 101 Switching\r\nno colon\r\n\r\n",
      "HTTP/1.1 200 OK\r\nA: \(String(repeating: "a", count: 70_000))\r\n\r\n",
    ] {
      let origin = try await ScriptedOrigin.start { _ in OriginReply(.raw(head), .stall) }
      let error = await #expect(throws: NetworkError.self) { try await session(origin).webSocket("chat") }
      #expect(error?.kind == .protocolViolation, "\(head.prefix(40))")
      #expect(await origin.until { $0.connectionsOpen == 0 })
      await origin.stop()
    }
  }

  @Test func `a server that does not answer the handshake ends it with the idle timeout`() async throws {
    let origin = try await ScriptedOrigin.start { _ in OriginReply(.stall) }
    var options = RequestOptions()
    options.timeouts.idle = .milliseconds(200)
    let impatient = options
    let error = await #expect(throws: NetworkError.self) {
      try await session(origin).webSocket("chat", options: impatient)
    }
    #expect(error?.kind == .idleTimedOut)
    #expect(await origin.until { $0.connectionsOpen == 0 })
    await origin.stop()
  }

  @Test func `a transport without two-way connections is refused`() async throws {
    let session = HTTPSession(StubTransport(.text("hello")))
    let error = await #expect(throws: NetworkError.self) { try await session.webSocket("http://birds.example/") }
    #expect(error?.kind == .unsupported)
    #expect(error?.details.missing == .duplex)
  }

  // MARK: Messages

  @Test func `a value is sent and received in the session's format`() async throws {
    let origin = try await origin { try await $0.echo() }
    let socket = try await session(origin).webSocket("chat")
    try await socket.send(Bird(name: "curlew"))
    try await socket.send("{}")
    try await socket.send(Bird(name: "godwit"), by: .json)
    var birds = socket.messages(as: Bird.self).makeAsyncIterator()
    #expect(try await birds.next() == Bird(name: "curlew"))
    let error = await #expect(throws: NetworkError.self) { try await birds.next() }
    #expect(error?.kind == .serializationFailed)
    #expect(try await birds.next() == Bird(name: "godwit"))
    try await socket.close()
    #expect(try await birds.next() == nil)
    await origin.stop()
  }

  @Test func `a slow reader slows the server down`() async throws {
    let sent = Mutex(0)
    let origin = try await origin { peer in
      for _ in 0..<2000 {
        try await peer.send(.binary(Data(repeating: 1, count: 32_768)))
        sent.withLock { $0 += 32_768 }
      }
      try await peer.close(WebSocketClosure(.normal))
      while try await peer.next() != nil {}
    }
    let socket = try await session(origin).webSocket("chat")
    // Sleeps because nothing tells that messages stay away.
    try await Task.sleep(for: .milliseconds(400))
    #expect(sent.withLock { $0 } < 32 << 20)
    var count = 0
    for try await message in socket.messages { count += message.count }
    #expect(count == 2000 * 32_768)
    #expect(socket.closure == WebSocketClosure(.normal))
    await origin.stop()
  }

  @Test func `compressed messages wait for a slow reader too, and a loss comes after them`() async throws {
    let sent = Mutex(0)
    let origin = try await ScriptedOrigin.start { request in
      var fields = HandshakeTests.answer("k")
      fields[.webSocketExtensions] = "permessage-deflate"
      let agreed = try? UpgradeOffer(compression: WebSocketCompression()).check(fields, key: "k").compression
      return ScriptedPeer.reply(to: request, ["Sec-WebSocket-Extensions": "permessage-deflate"], compression: agreed) {
        peer in
        var generator = SeededGenerator(state: 39)
        for number in 0..<1000 {
          // What compresses badly fills the connection.
          let noise = (0..<4096).map { _ in UInt64.random(in: 0...(.max), using: &generator) }
          try await peer.send(.binary(Data([UInt8(number % 251)]) + noise.withUnsafeBytes { Data($0) }))
          sent.withLock { $0 += 1 }
        }
        try await peer.send(raw: [0x82])
      }
    }
    var options = WebSocketOptions()
    options.compression = WebSocketCompression()
    options.limits.bufferedBytes = 8192
    let socket = try await session(origin).webSocket("chat", webSocket: options)
    // Sleeps because nothing tells that messages stay away.
    try await Task.sleep(for: .milliseconds(400))
    #expect(sent.withLock { $0 } < 700)
    for number in 0..<1000 {
      guard case .binary(let data) = try await socket.receive() else {
        Issue.record("message \(number) is missing")
        break
      }
      #expect(data.count == 32_769)
      #expect(data.first == UInt8(number % 251))
    }
    let error = await #expect(throws: NetworkError.self) { try await socket.receive() }
    #expect(error?.kind == .connectionLost)
    await origin.stop()
  }

  @Test func `what many tasks send arrives whole, and in the order of each`() async throws {
    let origin = try await origin { try await $0.echo() }
    let socket = try await session(origin).webSocket("chat")
    try await withThrowingTaskGroup { group in
      for task in 0..<8 {
        group.addTask { for number in 0..<200 { try await socket.send("\(task) \(number)") } }
      }
      var next = [Int](repeating: 0, count: 8)
      for _ in 0..<1600 {
        guard case .text(let text) = try await socket.receive() else { return }
        let parts = text.split(separator: " ").compactMap { Int($0) }
        #expect(parts[1] == next[parts[0]])
        next[parts[0]] += 1
      }
      try await group.waitForAll()
    }
    try await socket.close()
    await origin.stop()
  }

  @Test func `a ping is answered, from either side`() async throws {
    let origin = try await origin { peer in
      try await peer.ping([1, 2, 3])
      while let event = try await peer.next() {
        if case .pong(let payload) = event { try await peer.send(.binary(Data(payload))) }
      }
    }
    let socket = try await session(origin).webSocket("chat")
    #expect(try await socket.receive() == .binary(Data([1, 2, 3])))
    #expect(try await socket.ping() < .seconds(10))
    try await socket.close()
    await origin.stop()
  }

  // MARK: The end

  @Test func `a server that closes ends the messages, and its code and reason are known`() async throws {
    let told = Told()
    let origin = try await origin { peer in
      try await peer.send(.text("last"))
      try await peer.close(WebSocketClosure(.goingAway, reason: "tide"))
      told.put(await peer.rest())
    }
    let socket = try await session(origin).webSocket("chat")
    var messages: [WebSocketMessage] = []
    for try await message in socket.messages { messages.append(message) }
    #expect(messages == [.text("last")])
    #expect(socket.closure == WebSocketClosure(.goingAway, reason: "tide"))
    let error = await #expect(throws: NetworkError.self) { try await socket.send("late") }
    #expect(error?.kind == .connectionLost)
    #expect(await told.take() == [.closed(WebSocketClosure(.goingAway, reason: "tide"))])
    await origin.stop()
  }

  @Test func `a connection that ends without a close frame is lost, after its messages`() async throws {
    let origin = try await origin { peer in
      try await peer.send(.text("last"))
      try await peer.send(raw: [0x81, 0x05, 0x61])
    }
    let socket = try await session(origin).webSocket("chat")
    #expect(try await socket.receive() == .text("last"))
    let error = await #expect(throws: NetworkError.self) { try await socket.receive() }
    #expect(error?.kind == .connectionLost)
    #expect(socket.closure == nil)
    await #expect(throws: NetworkError.self) { try await socket.send("late") }
    await #expect(throws: NetworkError.self) { try await socket.ping() }
    #expect(try await socket.close() == nil)
    await origin.stop()
  }

  /// 60 times, or as often as `CURLEW_WEBSOCKET_KILLS` says.
  @Test func `a server that vanishes at any point leaves the messages before it in order, and nobody waiting`()
    async throws
  {
    let rounds = ProcessInfo.processInfo.environment["CURLEW_WEBSOCKET_KILLS"].flatMap { Int($0) } ?? 60
    var generator = SeededGenerator(state: 39)
    let lengths = (0..<rounds).map { _ in Int.random(in: 0...2000, using: &generator) }
    let origin = try await ScriptedOrigin.start { request in
      // A handshake whose answer was lost is sent again.
      let length = request.query.flatMap { Int($0.dropFirst(7)) } ?? 0
      return OriginReply(
        .acceptWebSocket(request),
        .raw([UInt8]((0..<400).flatMap { RawFrame(1, [UInt8]("\($0)")).bytes }.prefix(length))),
        length % 2 == 0 ? .cut : .reset)
    }
    let session = try session(origin)
    for length in lengths {
      var count = 0
      do {
        let socket = try await session.webSocket("chat?length=\(length)")
        let sending = Task { for _ in 0..<1_000_000 { try await socket.send(String(repeating: "a", count: 1000)) } }
        defer { sending.cancel() }
        do {
          while case .text(let text) = try await socket.receive() {
            #expect(text == "\(count)")
            count += 1
          }
          Issue.record("a connection without a close frame ended well")
        } catch let error as NetworkError {
          #expect(error.kind == .connectionLost)
        }
        await #expect(throws: NetworkError.self) { try await sending.value }
      } catch let error as NetworkError {
        // A reset can overtake the head.
        #expect(error.kind == .connectionLost)
      }
      #expect(count <= 400 && count * 3 <= length)
    }
    #expect(await origin.until { $0.connectionsOpen == 0 })
    await origin.stop()
  }

  @Test func `a violation is an error that says what was wrong, and the server is told its code`() async throws {
    let told = Told()
    let origin = try await origin { peer in
      try await peer.send(raw: RawFrame(1, [0xFF]).bytes)
      told.put(await peer.rest())
    }
    let socket = try await session(origin).webSocket("chat")
    let error = await #expect(throws: NetworkError.self) { try await socket.receive() }
    #expect(error?.kind == .protocolViolation)
    #expect((error?.details.underlying as? WebSocketViolation)?.code == .invalidPayload)
    #expect(await origin.until { $0.connectionsOpen == 0 })
    #expect(await told.take() == [.closed(WebSocketClosure(.invalidPayload))])
    await origin.stop()
  }

  @Test func `a task that is cancelled while it receives closes the connection`() async throws {
    let told = Told()
    let origin = try await origin { peer in
      told.put(await peer.rest())
    }
    let socket = try await session(origin).webSocket("chat")
    let task = Task { for try await _ in socket.messages {} }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await #expect(throws: CancellationError.self) { try await socket.send("late") }
    #expect(await origin.until { $0.connectionsOpen == 0 })
    #expect(await told.take() == [.closed(WebSocketClosure(.goingAway))])
    await origin.stop()
  }

  @Test func `a socket that is released closes the connection`() async throws {
    let told = Told()
    let origin = try await origin { peer in
      told.put(await peer.rest())
    }
    let session = try session(origin)
    _ = try await session.webSocket("chat")
    #expect(await origin.until { $0.connectionsOpen == 0 && $0.connectionsAccepted == 1 })
    #expect(await told.take() == [.closed(WebSocketClosure(.goingAway))])
    await origin.stop()
  }

  @Test func `a server that does not answer the close frame is left after the close timeout`() async throws {
    let gate = ManualGate()
    let origin = try await ScriptedOrigin.start { request in
      ScriptedPeer.reply(to: request) { peer in
        // Reads nothing until the client is gone.
        try await gate.wait()
        while try await peer.connection.receive() != nil {}
      }
    }
    var options = WebSocketOptions()
    options.closeTimeout = .milliseconds(200)
    let socket = try await session(origin).webSocket("chat", webSocket: options)
    #expect(try await socket.close() == nil)
    let error = await #expect(throws: NetworkError.self) { try await socket.receive() }
    #expect(error?.kind == .connectionLost)
    gate.open()
    #expect(await origin.until { $0.connectionsOpen == 0 })
    await origin.stop()
  }

  @Test func `a close frame that must not be sent is refused`() async throws {
    let origin = try await origin { try await $0.echo() }
    let socket = try await session(origin).webSocket("chat")
    for (code, reason) in [
      (WebSocketCloseCode.noCode, ""), (.abnormal, ""), (.normal, String(repeating: "a", count: 124)),
    ] {
      let error = await #expect(throws: NetworkError.self) { try await socket.close(code, reason: reason) }
      #expect(error?.kind == .invalidRequest)
    }
    try await socket.send("open")
    #expect(try await socket.receive() == .text("open"))
    try await socket.close()
    await origin.stop()
  }

  // MARK: The idle limit

  @Test func `a silent server is asked by a ping, and left when it does not answer`() async throws {
    let pings = Mutex(0)
    let origin = try await origin { peer in
      // Reads the bytes, and answers nothing.
      while let bytes = try await peer.connection.receive() {
        if bytes.first == 0x89 { pings.withLock { $0 += 1 } }
      }
    }
    let clock = ManualClock()
    var options = WebSocketOptions()
    options.idleLimit = .seconds(20)
    let socket = try await session(origin) { $0.settings.clock = clock }.webSocket("chat", webSocket: options)
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(10))
    while pings.withLock({ $0 }) == 0 { await Task.yield() }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(10))
    let error = await #expect(throws: NetworkError.self) { try await socket.receive() }
    #expect(error?.kind == .connectionLost)
    #expect(pings.withLock { $0 } == 1)
    #expect(await origin.until { $0.connectionsOpen == 0 })
    await origin.stop()
  }

  @Test func `a server that answers pings keeps the connection beyond the idle limit`() async throws {
    let pings = Mutex(0)
    let origin = try await origin { peer in
      while let bytes = try await peer.connection.receive() {
        // A pong with the payload, for each ping; a masked frame has six bytes before it.
        var rest = bytes
        while rest.first == 0x89, rest.count >= 14 {
          let frame = [UInt8](rest.prefix(14))
          pings.withLock { $0 += 1 }
          try await peer.send(raw: RawFrame(10, (6..<14).map { frame[$0] ^ frame[2 + ($0 - 6) % 4] }).bytes)
          rest = rest.dropFirst(14)
        }
      }
    }
    let clock = ManualClock()
    var options = WebSocketOptions()
    options.idleLimit = .seconds(20)
    let socket = try await session(origin) { $0.settings.clock = clock }.webSocket("chat", webSocket: options)
    for round in 1...6 {
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(10))
      // The pong of this ping follows that of the socket's own.
      while pings.withLock({ $0 }) < 2 * round - 1 { await Task.yield() }
      try await socket.ping()
    }
    #expect(pings.withLock { $0 } == 12)
    socket.cancel()
    await origin.stop()
  }
}
