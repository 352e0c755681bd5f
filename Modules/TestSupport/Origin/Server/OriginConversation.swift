import COpenSSL
public import CurlewCore
import FoundationEssentials

/// A connection that a test's code reads and writes, after the head of a reply.
// Safe because every member is used on the loop's thread, except the constants.
final class OriginConversation: DuplexDriver, @unchecked Sendable {
  private static let highWater = 65_536

  let channel = DuplexChannel()
  private let loop: EventLoop
  private weak var connection: OriginConnection?
  private(set) var isPaused = false
  private var hasEnded = false

  init(_ connection: OriginConnection, on loop: EventLoop) {
    self.connection = connection
    self.loop = loop
    channel.connect(self)
  }

  func resumeReceiving() {
    loop.execute { [weak self] in
      self?.isPaused = false
      self?.connection?.advance()
    }
  }

  func resumeSending() { loop.execute { [weak self] in self?.connection?.advance() } }

  func stop() {
    loop.execute { [weak self] in
      self?.connection?.wire.close()
      self?.channel.finish(nil)
    }
  }

  /// Moves bytes in both directions; returns true when the test's code has closed and all was sent.
  func advance(_ wire: Wire) -> Bool {
    while !isPaused, !wire.input.isEmpty {
      let piece = wire.input.take(16_384)
      isPaused = piece.withUnsafeBytes { channel.put($0) } != .more
    }
    if wire.sawEnd, wire.input.isEmpty, !hasEnded {
      hasEnded = true
      channel.endReceiving()
    }
    while wire.flush(), !wire.isClosed {
      switch channel.nextToSend() {
      case .bytes(let bytes):
        wire.send([UInt8](bytes))
        channel.sent(bytes.count)
      case .wait: return false
      case .close: return true
      }
    }
    return false
  }
}

extension OriginStep {
  /// Hands the connection to code, for a protocol that follows the head, such as after 101 Switching Protocols.
  ///
  /// Bytes that the client has sent after its request are the first that arrive. The connection ends when the code closes it, or returns
  /// and releases it. No step follows.
  public static func converse(_ code: @escaping @Sendable (DuplexConnection) async -> Void) -> OriginStep {
    OriginStep(action: .converse(code))
  }

  /// Writes the head that accepts the handshake of a WebSocket (RFC 6455 §4.2.2).
  ///
  /// A `converse` step reads and writes the frames that follow.
  ///
  /// - Parameter fields: Further fields, such as `Sec-WebSocket-Protocol`.
  public static func acceptWebSocket(_ request: OriginRequest, _ fields: OriginFields = [:]) -> OriginStep {
    let input = Array(((request["Sec-WebSocket-Key"] ?? "") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
    SHA1(input, input.count, &digest)
    var head: OriginFields = ["Upgrade": "websocket", "Connection": "Upgrade"]
    head["Sec-WebSocket-Accept"] = Data(digest).base64EncodedString()
    for line in fields.lines { head.append(line.name, line.value) }
    return .head(101, head)
  }
}
