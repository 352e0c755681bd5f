import CurlewCore
import CurlewCurlTransport
import CurlewSession
import Foundation
import Testing

@testable import CurlewWebSocket

/// A server of another project, which `Scripts/websocket-peers` starts.
struct WebSocketPeer: Sendable, CustomStringConvertible {
  let description: String
  let port: Int
  var compresses: Bool { description.hasSuffix("deflate") }

  /// The servers as `NAME-MODE=PORT`, separated by blanks.
  static let all: [WebSocketPeer] = (ProcessInfo.processInfo.environment["CURLEW_WEBSOCKET_PEERS"] ?? "")
    .split(separator: " ").compactMap { entry in
      let parts = entry.split(separator: "=")
      guard parts.count == 2, let port = Int(parts[1]) else { return nil }
      return WebSocketPeer(description: String(parts[0]), port: port)
    }
}

@Suite(.enabled(if: !WebSocketPeer.all.isEmpty, "Scripts/websocket-peers runs them"))
struct WebSocketPeerTests {
  private func open(
    _ peer: WebSocketPeer, _ change: (inout WebSocketCompression) -> Void = { _ in }
  ) async throws -> WebSocket {
    let session = HTTPSession(SessionConfiguration(.made { try CurlTransport() }))
    var compression = WebSocketCompression()
    compression.leastBytes = 1
    change(&compression)
    var options = WebSocketOptions()
    options.compression = compression
    let socket = try await session.webSocket("ws://127.0.0.1:\(peer.port)/", webSocket: options)
    #expect(socket.isCompressed == peer.compresses)
    return socket
  }

  @Test(arguments: WebSocketPeer.all) func `a message comes back from a peer as it was sent`(
    _ peer: WebSocketPeer
  ) async throws {
    let offers: [(inout WebSocketCompression) -> Void] = [
      { _ in }, { $0.clientKeepsContext = false }, { $0.serverKeepsContext = false }, { $0.clientWindowBits = 10 },
      { $0.serverWindowBits = 10 },
    ]
    for (place, offer) in offers.enumerated() {
      // wsproto refuses no offer, and answers what it likes: its own window is always 15.
      if place == 4, peer.description.hasPrefix("wsproto") || !peer.compresses { continue }
      let socket = try await open(peer, offer)
      var generator = SeededGenerator(state: UInt64(place))
      for size in [0, 1, 125, 126, 127, 1000, 65_535, 65_536, 200_000] {
        let words = ["curlew ", "whimbrel ", "čejka ", "𝄞 "]
        var text = ""
        while text.utf8.count < size { text += words[Int.random(in: 0..<words.count, using: &generator)] }
        let random = Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) })
        for message in [WebSocketMessage.text(text), .binary(random)] {
          try await socket.send(message)
          let answer = try await socket.receive()
          #expect(answer == message, "\(size) bytes")
        }
      }
      #expect(try await socket.ping() < .seconds(10))
      #expect(try await socket.close(.normal, reason: "done")?.code == .normal)
    }
  }

  @Test(arguments: WebSocketPeer.all) func `what a peer sends arrives whole and in order, while this side sends`(
    _ peer: WebSocketPeer
  ) async throws {
    let socket = try await open(peer)
    try await socket.send("send 300 5000")
    let sending = Task {
      for number in 0..<100 { try await socket.send("mine \(number)") }
    }
    for number in 0..<300 {
      let start = "\(number) "
      let expected = String((start + String(repeating: "curlew ", count: 5000 / 7 + 1)).prefix(5000))
      let message = try await socket.receive()
      #expect(message == (number % 2 == 0 ? .text(expected) : .binary(Data(expected.utf8))))
    }
    try await sending.value
    for number in 0..<100 {
      let message = try await socket.receive()
      #expect(message == .text("mine \(number)"))
    }
    try await socket.send("ping")
    #expect(try await socket.receive() == .text("ping"))
    try await socket.send("close 4001 tide")
    #expect(try await socket.receive() == nil)
    #expect(socket.closure == WebSocketClosure(WebSocketCloseCode(rawValue: 4001), reason: "tide"))
  }
}
