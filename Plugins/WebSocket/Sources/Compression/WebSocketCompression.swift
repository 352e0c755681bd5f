/// Whether and how messages are compressed: what is offered as `permessage-deflate` (RFC 7692).
///
/// A number outside its range is replaced by the nearest number inside. Compression that mixes secrets with text of others can give
/// the secrets away by their length (RFC 7692 §8); it is off unless `WebSocketOptions.compression` is set.
public struct WebSocketCompression: Sendable, Hashable {
  /// The largest window of the server's messages, as a power of two, 9 to 15; 15 by default.
  ///
  /// A connection holds that many bytes for reading.
  public var serverWindowBits = 15
  /// The largest window of the client's messages, as a power of two, 9 to 15; 15 by default.
  ///
  /// A connection that has sent a compressed message holds about eight times that many bytes for writing.
  public var clientWindowBits = 15
  /// Whether the server's messages may refer to earlier ones; they are smaller then.
  public var serverKeepsContext = true
  /// Whether the client's messages may refer to earlier ones; they are smaller then.
  public var clientKeepsContext = true
  /// The effort, 1 (fast) to 9 (small); 6 by default.
  public var level = 6
  /// The bytes from which a message is compressed, 1 or more; 64 by default.
  public var leastBytes = 64

  /// Creates the default offer.
  public init() {}

  /// A copy with each number limited to its range.
  var sensible: WebSocketCompression {
    var sensible = self
    sensible.serverWindowBits = min(max(9, serverWindowBits), 15)
    sensible.clientWindowBits = min(max(9, clientWindowBits), 15)
    sensible.level = min(max(1, level), 9)
    sensible.leastBytes = max(1, leastBytes)
    return sensible
  }
}
