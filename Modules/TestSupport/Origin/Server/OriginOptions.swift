/// How a scripted origin listens, what it remembers, and how its connections behave.
public struct OriginOptions: Sendable {
  /// Where it listens. `[.ipv4, .ipv6]` share a port. The default is 127.0.0.1.
  public var addresses: [OriginAddress] = [.ipv4]
  /// How it speaks TLS; nil for plain HTTP.
  public var tls: OriginTLS?
  /// How many connections may wait to be accepted; the system's own limit holds too.
  package var backlog: Int32 = 4096
  /// The longest request head, in bytes; a longer one is answered with 431.
  package var headBytes = 262_144
  /// How many bytes of each request's body are kept. More is counted and dropped.
  public var bodyBytesKept = 1_048_576
  /// How many bytes of bodies are kept in all; beyond it the oldest requests are forgotten, until half of
  /// it is left.
  package var bodyBytesKeptInAll = 268_435_456
  /// How many requests are remembered, the newest.
  public var requestsKept = 20_000
  /// How many connections may be open at once.
  ///
  /// More are handled as `excess` says. Nil for no limit.
  package var connectionLimit: Int?
  /// What happens to connections beyond the limit.
  package var excess = ConnectionBehaviour.Acceptance.close
  /// The receive buffer of each connection in bytes, so that a client's upload meets backpressure early; nil for the
  /// system's.
  package var receiveBuffer: Int32?
  /// The send buffer of each connection in bytes; nil for the system's.
  public var sendBuffer: Int32?
  /// What each connection does, by its number, which starts at 1. Called on the origin's thread; it must not block.
  public var connection: @Sendable (Int) -> ConnectionBehaviour = { _ in ConnectionBehaviour() }

  /// Creates the default options.
  public init() {}

  /// Returns the default options, changed by a closure: `.with { $0.addresses = [.ipv6] }`.
  public static func with(_ change: (inout OriginOptions) -> Void) -> OriginOptions {
    var options = OriginOptions()
    change(&options)
    return options
  }
}

/// How one connection behaves beneath the replies.
public struct ConnectionBehaviour: Sendable {
  /// What happens as soon as a connection is accepted.
  public enum Acceptance: Sendable {
    /// Requests are read and answered.
    case serve
    /// It is closed with FIN at once.
    case close
    /// It is closed with RST at once.
    case reset
    /// Nothing is read or written until the client leaves.
    case stall
    /// These bytes are sent before any request, then the connection is closed.
    case send([UInt8])
  }

  /// What happens when the connection is accepted.
  public var acceptance: Acceptance
  /// What happens between two requests; a reply's `idle` step overrides it.
  public var idling: OriginIdling
  /// What happens in its TLS handshake; nil for what the origin's `OriginTLS` says.
  public var handshake: OriginTLS.Handshake?
  /// At most this many bytes a second to the client; nil for no limit.
  public var bytesPerSecond: Int?
  /// The connection is closed after this many replies; nil for no limit.
  public var requestLimit: Int?

  /// Creates a behaviour; the default serves and keeps the connection.
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
