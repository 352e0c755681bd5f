import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import Synchronization

@testable import CurlewWebSocket

/// Takes what one peer was told to its end from its script to the test.
///
/// A server that is stopped, or whose client has left, may not have read the last bytes yet; the test waits for them here.
struct Told: Sendable {
  private let ends = AsyncStream.makeStream(of: [WebSocketMachine.Event].self)

  func put(_ events: [WebSocketMachine.Event]) { ends.continuation.yield(events) }

  /// Returns what was put, once it is there.
  func take() async -> [WebSocketMachine.Event]? { await ends.stream.first { _ in true } }
}

/// A server's side of a WebSocket, by the same state machine in its other role.
final class ScriptedPeer: Sendable {
  let connection: DuplexConnection
  private let machine: Mutex<WebSocketMachine>
  private let events = Mutex<[WebSocketMachine.Event]>([])

  init(_ connection: DuplexConnection, _ compression: DeflateParameters? = nil) throws {
    self.connection = connection
    var options = WebSocketCompression()
    options.leastBytes = 1
    machine = Mutex(try WebSocketMachine(.server, WebSocketLimits(), compression, options))
  }

  /// Returns what arrives next; nil when the client has ended the connection.
  func next() async throws -> WebSocketMachine.Event? {
    while true {
      if let event = events.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return event }
      guard let bytes = try await connection.receive() else { return nil }
      let more = machine.withLock { machine in bytes.withUnsafeBytes { machine.receive($0) } }
      events.withLock { $0 += more }
      // What the client wrote last counts, even if it does not wait for an answer.
      try? await flush()
    }
  }

  /// Returns all that arrives until the client has ended the connection.
  func rest() async -> [WebSocketMachine.Event] {
    var rest: [WebSocketMachine.Event] = []
    while let event = try? await next() { rest.append(event) }
    return rest
  }

  func send(_ message: WebSocketMessage) async throws {
    machine.withLock { _ = $0.send(message) }
    try await flush()
  }

  func ping(_ payload: [UInt8]) async throws {
    machine.withLock { _ = $0.ping(payload) }
    try await flush()
  }

  func close(_ closure: WebSocketClosure) async throws {
    machine.withLock { _ = $0.close(closure) }
    try await flush()
  }

  func send(raw bytes: [UInt8]) async throws { try await connection.send(Data(bytes)) }

  private func flush() async throws {
    let bytes = machine.withLock { $0.takeOutput() }
    if !bytes.isEmpty { try await connection.send(Data(bytes)) }
  }

  /// Sends back every message, until the client closes.
  func echo() async throws {
    while let event = try await next() {
      if case .message(let message) = event { try await send(message) }
    }
  }

  /// Returns the reply that accepts a handshake, and then runs a script.
  static func reply(
    to request: OriginRequest, _ fields: OriginFields = [:], compression: DeflateParameters? = nil,
    _ script: @escaping @Sendable (ScriptedPeer) async throws -> Void
  ) -> OriginReply {
    OriginReply(
      .acceptWebSocket(request, fields),
      .converse { connection in
        guard let peer = try? ScriptedPeer(connection, compression) else { return }
        try? await script(peer)
      })
  }
}
