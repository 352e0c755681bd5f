/// How a WebSocket is opened and kept.
public struct WebSocketOptions: Sendable {
  /// The subprotocols to offer, in order of preference; none by default.
  ///
  /// Each is a token, such as `graphql-transport-ws`. The server chooses one, or none: `WebSocket.subprotocol`.
  public var subprotocols: [String] = []
  /// The compression to offer; nil, the default, offers none.
  public var compression: WebSocketCompression?
  /// The most that the server may send.
  public var limits = WebSocketLimits()
  /// The longest time without a byte from the server, longer than zero; 60 seconds by default, nil sets no limit.
  ///
  /// After half of it a ping asks the server for a sign of life. It does not run while messages wait to be received beyond
  /// `limits.bufferedBytes`, because nothing is read then.
  public var idleLimit: Duration? = .seconds(60)
  /// How long `close` waits for the server's close frame; 10 seconds by default.
  public var closeTimeout = Duration.seconds(10)

  /// Creates the default options.
  public init() {}
}
