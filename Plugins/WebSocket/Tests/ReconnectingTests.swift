import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewRequests
import CurlewSession
import CurlewTestSupport
import FoundationEssentials
import Synchronization
import Testing

@testable import CurlewWebSocket

struct ReconnectingTests {
  private func session(_ origin: ScriptedOrigin) throws -> HTTPSession {
    var configuration = SessionConfiguration(.made { try CurlTransport() })
    configuration.baseURL = try BaseURL(origin.address("/"))
    return HTTPSession(configuration)
  }

  private func reconnection(
    _ resume: @escaping @Sendable (WebSocket, Int) async throws -> Void = { _, _ in }
  ) -> WebSocketReconnection {
    var reconnection = WebSocketReconnection(resume: resume)
    reconnection.retry = RetryPolicy(limit: 3, delay: .fixed(.milliseconds(1)))
    reconnection.delay = .milliseconds(1)
    return reconnection
  }

  @Test func `messages go on over lost connections, refused handshakes and temporary closes, each once and in order`()
    async throws
  {
    let asked = Mutex(0)
    let origin = try await ScriptedOrigin.start { request in
      let number = asked.withLock { number in
        number += 1
        return number
      }
      // Each third handshake is refused for a while.
      guard number % 3 != 0 else { return .status(503, "tide") }
      return ScriptedPeer.reply(to: request) { peer in
        guard case .message(.text(let since)) = try await peer.next(), let first = Int(since) else { return }
        for number in first..<min(first + 5, 42) { try await peer.send(.text("\(number)")) }
        if first + 5 >= 42 { return try await peer.close(WebSocketClosure(.normal)) }
        if number % 2 == 0 { try await peer.close(WebSocketClosure(.serviceRestart)) }
      }
    }
    let received = Mutex<[Int]>([])
    let feed = try session(origin).reconnectingWebSocket(
      "feed",
      reconnection: reconnection { socket, _ in
        try await socket.send("\(received.withLock { $0.count })")
      })
    for try await message in feed.messages {
      guard case .text(let text) = message, let number = Int(text) else { continue }
      received.withLock { $0.append(number) }
    }
    #expect(received.withLock { $0 } == Array(0..<42))
    #expect(try await feed.receive() == nil)
    await origin.stop()
  }

  @Test func `a message is sent on the open connection only, and never again`() async throws {
    let heard = Mutex<[String]>([])
    let origin = try await ScriptedOrigin.start { request in
      ScriptedPeer.reply(to: request) { peer in
        try await peer.send(.text("ready"))
        if case .message(.text(let text)) = try await peer.next() { heard.withLock { $0.append(text) } }
      }
    }
    let feed = try session(origin).reconnectingWebSocket("feed", reconnection: reconnection())
    let error = await #expect(throws: NetworkError.self) { try await feed.send("too early") }
    #expect(error?.kind == .connectionLost)
    for number in 0..<5 {
      #expect(try await feed.receive() == .text("ready"))
      try await feed.send("message \(number)")
    }
    #expect(try await feed.receive() == .text("ready"))
    #expect(heard.withLock { $0 } == (0..<5).map { "message \($0)" })
    try await feed.close()
    #expect(try await feed.receive() == nil)
    await origin.stop()
  }

  /// Where a closing comes.
  enum Moment: CaseIterable { case waiting, opening, resuming }

  @Test(arguments: Moment.allCases) func `closed between two connections, it ends and opens none`(
    moment: Moment
  ) async throws {
    let handshakes = Mutex(0)
    let (reached, gate) = (ManualGate(), OriginGate())
    let origin = try await ScriptedOrigin.start { request in
      let number = handshakes.withLock { number in
        number += 1
        return number
      }
      guard number > 1, moment == .opening else {
        return ScriptedPeer.reply(to: request) { peer in
          if number == 1 { try await peer.send(.text("first")) }
          if number > 2 { try await peer.send(.text("too late")) }
        }
      }
      reached.open()
      return .ok("").pausing(at: gate)
    }
    var rules = reconnection { _, number in
      guard moment == .resuming, number > 1 else { return }
      reached.open()
      try await Task.sleep(for: .seconds(3600))  // Sleeps because a closing has to end it.
    }
    if moment == .waiting {
      rules.delay = .seconds(3600)
      rules.longestDelay = .seconds(3600)
      rules.random = {
        reached.open()
        return 1
      }
    }
    let feed = try session(origin).reconnectingWebSocket("feed", reconnection: rules)
    #expect(try await feed.receive() == .text("first"))
    let last = Task { try await feed.receive() }
    try await reached.wait()
    let before = handshakes.withLock { $0 }
    #expect(try await feed.close() == nil)
    #expect(try await last.value == nil)
    #expect(try await feed.receive() == nil)
    #expect(feed.current == nil && handshakes.withLock { $0 } == before)
    gate.open()
    await origin.stop()
  }

  @Test func `a server that ends every connection without a message is left`() async throws {
    let origin = try await ScriptedOrigin.start { ScriptedPeer.reply(to: $0) { _ in } }
    var reconnection = reconnection()
    reconnection.fruitlessLimit = 4
    let feed = try session(origin).reconnectingWebSocket("feed", reconnection: reconnection)
    let error = await #expect(throws: NetworkError.self) { try await feed.receive() }
    #expect(error?.kind == .connectionLost)
    #expect(origin.requests.count == 5)
    #expect(try await feed.receive() == nil)
    await origin.stop()
  }
}
