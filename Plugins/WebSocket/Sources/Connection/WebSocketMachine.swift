import FoundationEssentials

/// One side of a connection after its handshake (RFC 6455 §5 to §7), without I/O.
///
/// Bytes of the peer go in; messages, answers to pings and the end come out, with the bytes that are to be sent.
struct WebSocketMachine: ~Copyable {
  /// What happened.
  enum Event: Sendable, Hashable {
    case message(WebSocketMessage)
    /// The payload of a pong.
    case pong([UInt8])
    /// Both sides have sent a close frame.
    case closed(WebSocketClosure)
    /// The peer broke a rule.
    ///
    /// A close frame that tells it is among the bytes to be sent.
    case failed(WebSocketViolation)
  }

  /// How far the connection is.
  enum Phase: Sendable, Hashable {
    case open
    /// This side has sent a close frame, and the peer has not.
    case closing
    /// Nothing more is sent, and nothing that arrives counts.
    case over
  }

  private(set) var phase = Phase.open
  private var reader: MessageReader
  private var writer: FrameWriter
  private let sending: DeflateParameters.Direction?
  private let compression: WebSocketCompression
  /// Made for the first message that is compressed.
  private var deflater: MessageDeflater?
  private var hasNoDeflater = false
  private var output: [UInt8] = []
  /// The newest ping that was not answered yet.
  private var owedPong: [UInt8]?

  init(
    _ role: WebSocketRole, _ limits: WebSocketLimits, _ agreed: DeflateParameters?, _ compression: WebSocketCompression
  ) throws(WebSocketViolation) {
    reader = try MessageReader(role, limits, agreed)
    writer = FrameWriter(role)
    sending = agreed?.sending(role)
    self.compression = compression
  }

  // MARK: Receiving

  /// Reads bytes of the peer.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) -> [Event] {
    guard phase != .over else { return [] }
    var arrived: [MessageReader.Event] = []
    var violation: WebSocketViolation?
    do throws(WebSocketViolation) {
      try reader.read(bytes, into: &arrived)
    } catch {
      violation = error
    }
    var events: [Event] = []
    events.reserveCapacity(arrived.count)
    for event in arrived {
      switch event {
      case .message(let message): events.append(.message(message))
      case .pong(let payload): events.append(.pong(payload))
      // Only the newest one needs an answer (§5.5.3), and none after a close frame.
      case .ping(let payload): if phase == .open { owedPong = payload }
      case .close(let closure):
        owedPong = nil
        if phase == .open { writeClose(closure.code == .noCode ? nil : closure) }
        phase = .over
        events.append(.closed(closure))
      }
    }
    if let violation {
      owedPong = nil
      if phase == .open { writeClose(WebSocketClosure(violation.code)) }
      phase = .over
      events.append(.failed(violation))
    }
    return events
  }

  /// Whether the peer is between two messages.
  var isAtRest: Bool { reader.isAtRest }

  // MARK: Sending

  /// Whether there are bytes to be sent.
  var hasOutput: Bool { !output.isEmpty || owedPong != nil }

  /// Returns the bytes that are to be sent, and forgets them.
  mutating func takeOutput() -> [UInt8] {
    if let owedPong {
      owedPong.withUnsafeBytes { writer.append(.pong, $0, to: &output) }
      self.owedPong = nil
    }
    defer { output = [] }
    return output
  }

  /// Writes a message; returns false when nothing can be sent any more.
  mutating func send(_ message: WebSocketMessage) -> Bool {
    guard phase == .open else { return false }
    switch message {
    case .text(var text): text.withUTF8 { write(.text, UnsafeRawBufferPointer($0)) }
    case .binary(let data): data.withUnsafeBytes { write(.binary, $0) }
    }
    return true
  }

  /// Writes a ping; returns false when nothing can be sent any more.
  ///
  /// - Parameter payload: At most 125 bytes.
  mutating func ping(_ payload: [UInt8]) -> Bool {
    guard phase == .open else { return false }
    payload.withUnsafeBytes { writer.append(.ping, $0, to: &output) }
    return true
  }

  /// Writes a close frame; returns false when one was written before.
  ///
  /// - Parameter closure: A code that may be sent; nil sends none.
  mutating func close(_ closure: WebSocketClosure?) -> Bool {
    guard phase == .open else { return false }
    writeClose(closure)
    phase = .closing
    return true
  }

  private mutating func writeClose(_ closure: WebSocketClosure?) {
    var payload: [UInt8] = []
    if let closure {
      payload = [UInt8(closure.code.rawValue >> 8), UInt8(truncatingIfNeeded: closure.code.rawValue)]
      payload += closure.reason.utf8
    }
    payload.withUnsafeBytes { writer.append(.close, $0, to: &output) }
  }

  private mutating func write(_ opcode: FrameOpcode, _ content: UnsafeRawBufferPointer) {
    guard content.count >= compression.leastBytes, let deflater = readyDeflater() else {
      return writer.append(opcode, content, to: &output)
    }
    deflater.deflate(content).withUnsafeBytes { writer.append(opcode, isCompressed: true, $0, to: &output) }
  }

  private mutating func readyDeflater() -> MessageDeflater? {
    guard let sending, !hasNoDeflater else { return nil }
    if let deflater { return deflater }
    deflater = MessageDeflater(sending, level: compression.level)
    hasNoDeflater = deflater == nil
    return deflater
  }
}
