/// The measurements of one sending: one attempt, one hop.
public struct ExchangeMetrics: Sendable, Hashable {
  /// The number of the attempt, from 1.
  public var attempt: Int = 1
  /// The number of the hop, from 0.
  public var hop: Int = 0
  /// The durations of the phases; nil for a phase that did not happen or is unknown.
  public var phases = Phases()
  /// The HTTP version; nil before a head has arrived.
  public var version: ResponseHead.Version?
  /// The version of TLS, such as `TLSv1.3`; nil without TLS or when unknown.
  public var tlsVersion: String?
  /// Whether the connection was reused; nil when unknown.
  public var connectionReused: Bool?
  /// The local address and port as text; nil when unknown.
  public var localAddress: String?
  /// The remote address and port as text; nil when unknown.
  public var remoteAddress: String?
  /// The bytes of the request's body that the kernel has taken, without framing.
  public var bytesSent: Int64 = 0
  /// The bytes of the response's body as received, before decoding.
  public var bytesReceived: Int64 = 0
  /// The bytes of the response's body after decoding.
  public var bytesDelivered: Int64 = 0
  /// The bytes of the response's header section.
  public var headerBytesReceived: Int64 = 0
  /// The longest time an app's callback blocked the transport's thread.
  ///
  /// Such callbacks are trust evaluation and drain sinks.
  public var longestCallback: Duration = .zero

  /// The durations of the phases, in order; they do not overlap.
  public struct Phases: Sendable, Hashable {
    /// Waiting for a place in the transport's queue.
    public var queue: Duration?
    /// Name lookup.
    public var lookup: Duration?
    /// Connecting.
    public var connect: Duration?
    /// TLS handshake.
    public var tls: Duration?
    /// From the ready connection to the first byte of the response.
    public var firstByte: Duration?
    /// From the first byte to the end of the body.
    public var transfer: Duration?
    /// The total duration.
    public var total: Duration?

    /// Creates phases that are all unknown.
    public init() {}
  }

  /// Creates metrics that are all unset.
  public init(attempt: Int = 1, hop: Int = 0) {
    self.attempt = attempt
    self.hop = hop
  }
}
