/// The options of a scripted origin: addresses, records, connections.
public struct OriginOptions: Sendable {
  /// The addresses to listen on; by default 127.0.0.1.
  ///
  /// `[.ipv4, .ipv6]` share a port.
  public var addresses: [OriginAddress] = [.ipv4]
  /// The TLS settings; nil for plain HTTP.
  public var tls: OriginTLS?
  /// The most connections that wait to be accepted, within the system's limit.
  package var backlog: Int32 = 4096
  /// The most bytes of a request head; a longer one is answered with 431.
  package var headBytes = 262_144
  /// The most bytes of each request's body to keep; others are counted and dropped.
  public var bodyBytesKept = 1_048_576
  /// The most body bytes to keep in total.
  ///
  /// Beyond it the oldest requests are dropped, until half of it is left.
  package var bodyBytesKeptInAll = 268_435_456
  /// The most requests to record; the newest are kept.
  public var requestsKept = 20_000
  /// The bytes of each request and of each reply to keep for reports; 0 keeps none.
  package var transcriptBytes = 0
  /// The most open connections; nil sets no limit.
  ///
  /// Further connections are handled according to `excess`.
  package var connectionLimit: Int?
  /// What happens to connections beyond the limit.
  package var excess = ConnectionBehaviour.Acceptance.close
  /// The receive buffer of each connection in bytes; nil uses the system's.
  ///
  /// A small one makes a client's upload meet backpressure early.
  package var receiveBuffer: Int32?
  /// The send buffer of each connection in bytes; nil uses the system's.
  public var sendBuffer: Int32?
  /// Returns the behaviour of each connection by its number, from 1.
  ///
  /// It is called on the origin's thread and must not block.
  public var connection: @Sendable (Int) -> ConnectionBehaviour = { _ in ConnectionBehaviour() }

  /// Creates the default options.
  public init() {}

  /// Returns the default options, changed by a closure.
  ///
  /// For example `.with { $0.addresses = [.ipv6] }`.
  public static func with(_ change: (inout OriginOptions) -> Void) -> OriginOptions {
    var options = OriginOptions()
    change(&options)
    return options
  }
}

/// The behaviour of one connection, independent of its replies.
public struct ConnectionBehaviour: Sendable {
  /// What happens when a connection is accepted.
  public enum Acceptance: Sendable {
    /// Requests are read and answered.
    case serve
    /// The connection is closed with FIN at once.
    case close
    /// The connection is closed with RST at once.
    case reset
    /// Nothing is read or written until the client leaves.
    case stall
    /// These bytes are sent before any request, then the connection is closed.
    case send([UInt8])
  }

  /// What happens when the connection is accepted.
  public var acceptance: Acceptance
  /// What happens between two requests, unless a reply's `idle` step overrides it.
  public var idling: OriginIdling
  /// What happens in the TLS handshake; nil uses the origin's `OriginTLS`.
  public var handshake: OriginTLS.Handshake?
  /// The most bytes per second to the client; nil sets no limit.
  public var bytesPerSecond: Int?
  /// The number of replies after which the connection is closed; nil sets no limit.
  public var requestLimit: Int?

  /// Creates a behaviour; by default it serves and keeps the connection.
  public init(
    _ acceptance: Acceptance = .serve, idling: OriginIdling = .keep, handshake: OriginTLS.Handshake? = nil,
    bytesPerSecond: Int? = nil,
    requestLimit: Int? = nil
  ) {
    self.acceptance = acceptance
    self.idling = idling
    self.handshake = handshake
    self.bytesPerSecond = bytesPerSecond
    self.requestLimit = requestLimit
  }
}
