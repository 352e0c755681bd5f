import FoundationEssentials

/// Makes messages and control frames from the bytes of a peer (RFC 6455 §5.4, §5.5), without I/O.
///
/// It keeps every limit, checks texts as they arrive, and decompresses. After an error it must not be used again.
struct MessageReader: ~Copyable {
  /// What arrived.
  enum Event: Sendable, Hashable {
    case message(WebSocketMessage)
    case ping([UInt8])
    case pong([UInt8])
    /// The peer closes; nothing that follows counts.
    case close(WebSocketClosure)
  }

  private var parser: FrameParser
  private let limits: WebSocketLimits
  private let inflater: MessageInflater?
  /// The frame that is being read; nil between two.
  private var frame: FrameHeader?
  /// The payload of a control frame.
  private var control: [UInt8] = []

  /// The kind of the message that is being read; nil between two.
  private var kind: FrameOpcode?
  private var isCompressed = false
  private var frames = 0
  private var content: [UInt8] = []
  /// The message, if it came in one piece.
  private var whole: WebSocketMessage?
  private var checker = UTF8Checker()
  /// Whether a close frame has arrived.
  private(set) var isClosed = false

  /// - Parameter compression: The agreed parameters; nil without compression.
  init(_ role: WebSocketRole, _ limits: WebSocketLimits, _ compression: DeflateParameters?) throws(WebSocketViolation) {
    self.limits = limits
    parser = FrameParser(role, frameLimit: limits.frameBytes, mayCompress: compression != nil)
    inflater = try compression.map { (parameters) throws(WebSocketViolation) in
      try MessageInflater(parameters.receiving(role))
    }
  }

  /// Whether it is between two messages and between two frames.
  var isAtRest: Bool { kind == nil && parser.isAtFrameStart && frame == nil }

  /// Reads bytes, and returns what they complete.
  ///
  /// - Parameter events: Receives what was complete before an error, too.
  mutating func read(_ bytes: UnsafeRawBufferPointer, into events: inout [Event]) throws(WebSocketViolation) {
    var offset = 0
    while !isClosed, let part = try parser.next(bytes, &offset) {
      switch part {
      case .header(let header): try begin(header)
      case .payload(let range): try take(UnsafeRawBufferPointer(rebasing: bytes[range]))
      case .end: if let event = try end() { events.append(event) }
      }
    }
  }

  // MARK: A frame

  private mutating func begin(_ header: FrameHeader) throws(WebSocketViolation) {
    frame = header
    guard !header.opcode.isControl else { return }
    if header.opcode == .continuation {
      guard kind != nil else { throw .protocolError("A continuation frame continues no message") }
    } else {
      guard kind == nil else { throw .protocolError("A message begins before the previous one has ended") }
      kind = header.opcode
      isCompressed = header.isCompressed
      frames = 0
      content = []
      checker = UTF8Checker()
    }
    frames += 1
    guard frames <= limits.framesPerMessage else {
      throw .tooLarge("A message has more than \(limits.framesPerMessage) frames")
    }
    if !isCompressed { try checkRoom(for: header.length) }
  }

  private mutating func take(_ payload: UnsafeRawBufferPointer) throws(WebSocketViolation) {
    guard let frame else { return }
    if frame.opcode.isControl {
      parser.append(payload, to: &control)
    } else if isCompressed, parser.role == .client {
      try inflate(payload)
    } else if isCompressed {
      var plain: [UInt8] = []
      parser.append(payload, to: &plain)
      try plain.withRawBytes { (bytes) throws(WebSocketViolation) in try inflate(bytes) }
    } else if frame.isFinal, frames == 1, payload.count == frame.length, parser.role == .client {
      whole = try message(of: payload)
    } else {
      let start = content.count
      parser.append(payload, to: &content)
      try checkText(from: start)
    }
  }

  private mutating func end() throws(WebSocketViolation) -> Event? {
    guard let frame else { return nil }
    self.frame = nil
    guard frame.opcode.isControl else { return frame.isFinal ? .message(try endMessage()) : nil }
    defer { control = [] }
    switch frame.opcode {
    case .ping: return .ping(control)
    case .pong: return .pong(control)
    default:
      isClosed = true
      return .close(try closure())
    }
  }

  // MARK: A message

  /// Returns a message that came in one piece, without keeping it before.
  private mutating func message(of payload: UnsafeRawBufferPointer) throws(WebSocketViolation) -> WebSocketMessage {
    guard kind == .text else { return .binary(Data(payload)) }
    guard checker.take(payload) else { throw .invalidPayload("A text is not UTF-8") }
    guard checker.isComplete else { throw .invalidPayload("A text ends within a character") }
    return .text(String(decoding: payload, as: UTF8.self))
  }

  private mutating func endMessage() throws(WebSocketViolation) -> WebSocketMessage {
    if let whole {
      (kind, self.whole) = (nil, nil)
      return whole
    }
    if isCompressed, let inflater {
      let start = content.count
      try inflater.endMessage(upTo: limits.messageBytes, into: &content)
      try checkText(from: start)
    }
    defer {
      kind = nil
      content = []
    }
    guard kind == .text else { return .binary(Data(content)) }
    guard checker.isComplete else { throw .invalidPayload("A text ends within a character") }
    return .text(String(decoding: content, as: UTF8.self))
  }

  private mutating func inflate(_ bytes: UnsafeRawBufferPointer) throws(WebSocketViolation) {
    guard let inflater else { return }
    let start = content.count
    try inflater.inflate(bytes, upTo: limits.messageBytes, into: &content)
    try checkText(from: start)
  }

  private func checkRoom(for more: Int) throws(WebSocketViolation) {
    guard more <= limits.messageBytes - content.count else {
      throw .tooLarge("A message is larger than the limit of \(limits.messageBytes) bytes")
    }
  }

  private mutating func checkText(from start: Int) throws(WebSocketViolation) {
    guard kind == .text else { return }
    let isValid = content.withUnsafeBytes { checker.take(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    guard isValid else { throw .invalidPayload("A text is not UTF-8") }
  }

  // MARK: A close frame

  /// Returns what the close frame says (RFC 6455 §5.5.1).
  private func closure() throws(WebSocketViolation) -> WebSocketClosure {
    guard !control.isEmpty else { return WebSocketClosure(.noCode) }
    guard control.count >= 2 else { throw .protocolError("A close frame has half of a code") }
    let code = WebSocketCloseCode(rawValue: UInt16(control[0]) << 8 | UInt16(control[1]))
    guard code.mayBeSent else { throw .protocolError("A close frame has the code \(code), which must not be sent") }
    var checker = UTF8Checker()
    let isValid = control.withUnsafeBytes { checker.take(UnsafeRawBufferPointer(rebasing: $0[2...])) }
    guard isValid, checker.isComplete else { throw .invalidPayload("The reason of a close frame is not UTF-8") }
    return WebSocketClosure(code, reason: String(decoding: control[2...], as: UTF8.self))
  }
}

extension [UInt8] {
  /// Calls a closure with the bytes, and throws its error with its type.
  func withRawBytes<Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    try withUnsafeBufferPointer { (bytes) throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
  }
}
