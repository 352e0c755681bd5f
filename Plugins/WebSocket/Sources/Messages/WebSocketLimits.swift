/// The most that a peer may send; what exceeds a limit ends the connection with 1009.
///
/// A number outside its range is replaced by the nearest number inside.
public struct WebSocketLimits: Sendable, Hashable {
  /// The most bytes of a message, after decompression, 1 or more; 16 MiB by default.
  public var messageBytes = 16 << 20
  /// The most bytes of a frame as sent, 125 or more; 16 MiB by default.
  public var frameBytes = 16 << 20
  /// The most frames of a message, 1 or more; 16,384 by default.
  public var framesPerMessage = 16_384
  /// The bytes of unread messages from which nothing more is read from the peer, 1 or more; 256 KiB by default.
  ///
  /// At most one message and what arrived with it exceed the number.
  public var bufferedBytes = 256 * 1024

  /// Creates the default limits.
  public init() {}

  /// A copy with each number limited to its range.
  var sensible: WebSocketLimits {
    var sensible = self
    sensible.messageBytes = max(1, messageBytes)
    sensible.frameBytes = max(125, frameBytes)
    sensible.framesPerMessage = max(1, framesPerMessage)
    sensible.bufferedBytes = max(1, bufferedBytes)
    return sensible
  }
}
