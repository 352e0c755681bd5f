/// What was measured of one sending: one attempt, one hop.
public struct ExchangeMetrics: Sendable, Hashable {
  /// In which attempt, 1….
  public var attempt: Int = 1
  /// At which hop, 0….
  public var hop: Int = 0
  /// The phases; nil where one did not happen or is not known.
  public var phases = Phases()
  /// The version that was spoken; nil before a head arrived.
  public var version: ResponseHead.Version?
  /// Whether the connection had been used before; nil when not known.
  public var connectionReused: Bool?
  /// The local address and port, as text; nil when not known.
  public var localAddress: String?
  /// The remote address and port, as text; nil when not known.
  public var remoteAddress: String?
  /// Bytes of the request's body the kernel took, without framing.
  public var bytesSent: Int64 = 0
  /// Bytes of the response's body as they came from the network, still coded.
  public var bytesReceived: Int64 = 0
  /// Bytes of the response's body after decoding.
  public var bytesDelivered: Int64 = 0
  /// Bytes of the response's header section.
  public var headerBytesReceived: Int64 = 0
  /// The longest time one callback of the app (trust evaluation, drain sink) held the transport's thread.
  public var longestCallback: Duration = .zero

  /// Durations of the phases, in order. Each is the phase alone, not since the start.
  public struct Phases: Sendable, Hashable {
    /// Waiting for a place in the transport's queue.
    public var queue: Duration?
    /// Name lookup.
    public var lookup: Duration?
    /// Connecting.
    public var connect: Duration?
    /// TLS handshake.
    public var tls: Duration?
    /// From the connection being ready to the first byte of the response.
    public var firstByte: Duration?
    /// From the first byte to the end of the body.
    public var transfer: Duration?
    /// All of it.
    public var total: Duration?

    /// Phases that are not known.
    public init() {}
  }

  /// Measurements that are all unset.
  public init(attempt: Int = 1, hop: Int = 0) {
    self.attempt = attempt
    self.hop = hop
  }
}
