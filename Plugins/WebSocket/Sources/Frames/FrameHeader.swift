/// The side of a connection, which determines who masks (RFC 6455 §5.1).
enum WebSocketRole: Sendable, Hashable {
  /// Masks what it sends, and refuses what is masked.
  case client
  /// Sends unmasked, and refuses what is not masked; for tests.
  case server
}

/// The kind of a frame (RFC 6455 §5.2).
enum FrameOpcode: UInt8, Sendable, Hashable {
  case continuation = 0
  case text = 1
  case binary = 2
  case close = 8
  case ping = 9
  case pong = 10

  /// Whether it is a control frame (RFC 6455 §5.5).
  var isControl: Bool { rawValue & 8 != 0 }
}

/// What stands before the payload of a frame.
struct FrameHeader: Sendable, Hashable {
  var opcode: FrameOpcode
  /// Whether it is the last frame of its message.
  var isFinal: Bool
  /// Whether RSV1 is set: the message is compressed (RFC 7692 §6).
  var isCompressed: Bool
  /// The bytes of the payload.
  var length: Int
}
