/// The optional settings of a request; each nil falls through.
public struct RequestOptions: Sendable, Hashable {
  /// How long to wait, and for what.
  public var timeouts = Timeouts()
  /// How a cache may be used; without a cache in the chain it means nothing.
  public var cachePolicy: CachePolicy?
  /// How many redirects to follow, 0…; 0 makes a 3xx the response.
  public var redirectLimit: Int?
  /// Whether cookies are sent and stored; without a jar in the chain it means nothing; nil is yes.
  public var handlesCookies: Bool?
  /// Which of two waiting requests goes first.
  public var priority: RequestPriority?
  /// Which networks may carry it; nil is all.
  public var allowedNetworks: AllowedNetworks?
  /// Whether to wait for `100 Continue` before the body is sent (RFC 9110 §10.1.1); nil is no.
  public var expectsContinue: Bool?
  /// Whether content codings are offered and undone; nil is yes. With false the body arrives as it was sent.
  public var decodesContent: Bool?
  /// Which HTTP version to speak; nil is `.automatic`.
  public var version: VersionPolicy?
  /// The most bytes a second, each way; nil is no limit.
  public var rateLimit: RateLimit?
  /// Overrides what the method says about sending twice; nil is RFC 9110 §9.2.2.
  public var isIdempotent: Bool?
  /// How the body will be read; nil is `.streamed`. See `ResponseDelivery`.
  public var delivery: ResponseDelivery?
  /// Connects to this Unix socket, a path of 1 to 107 bytes, instead of the host; name, `Host` and trust stay the URL's.
  public var unixSocketPath: String?
  /// Connects to other addresses; name, `Host` and trust stay the URL's. The first match wins.
  public var addressOverrides: [AddressOverride] = []

  /// Options that are all unset.
  public init() {}

  /// These options, with what is unset taken from `defaults`.
  public func over(_ defaults: RequestOptions) -> RequestOptions {
    var merged = self
    merged.timeouts = timeouts.over(defaults.timeouts)
    merged.cachePolicy = cachePolicy ?? defaults.cachePolicy
    merged.redirectLimit = redirectLimit ?? defaults.redirectLimit
    merged.handlesCookies = handlesCookies ?? defaults.handlesCookies
    merged.priority = priority ?? defaults.priority
    merged.allowedNetworks = allowedNetworks ?? defaults.allowedNetworks
    merged.expectsContinue = expectsContinue ?? defaults.expectsContinue
    merged.decodesContent = decodesContent ?? defaults.decodesContent
    merged.version = version ?? defaults.version
    merged.rateLimit = rateLimit ?? defaults.rateLimit
    merged.isIdempotent = isIdempotent ?? defaults.isIdempotent
    merged.delivery = delivery ?? defaults.delivery
    merged.unixSocketPath = unixSocketPath ?? defaults.unixSocketPath
    if addressOverrides.isEmpty { merged.addressOverrides = defaults.addressOverrides }
    return merged
  }
}

/// How long to wait, and for what.
///
/// Waiting in a transport's queue counts in none of them. Zero and negative durations are refused with
/// `NetworkError.Kind.invalidRequest`; a fraction of a millisecond counts as one.
public struct Timeouts: Sendable, Hashable {
  /// Name lookup, connection, proxy and TLS handshake together; nil falls through to the transport's default.
  public var connect: Duration?
  /// The longest time without a byte in either direction; stands still while the reader makes the transport wait.
  public var idle: Duration?
  /// One attempt as a whole, from leaving the queue to the last byte of the body; never stands still.
  public var total: Duration?

  /// Makes timeouts; nil falls through.
  public init(connect: Duration? = nil, idle: Duration? = nil, total: Duration? = nil) {
    self.connect = connect
    self.idle = idle
    self.total = total
  }

  /// Whether all fall through.
  package var isUnset: Bool { connect == nil && idle == nil && total == nil }

  /// These timeouts, with what is unset taken from `defaults`.
  public func over(_ defaults: Timeouts) -> Timeouts {
    Timeouts(
      connect: connect ?? defaults.connect, idle: idle ?? defaults.idle, total: total ?? defaults.total)
  }
}

/// How a cache may be used for one request, as in `URLRequest`.
public enum CachePolicy: String, Sendable, Hashable, CaseIterable {
  /// As RFC 9111 says.
  case protocolDefined
  /// Fetch; what comes may be stored.
  case reload
  /// Fetch and store nothing.
  case noStore
  /// Ask the origin before a stored response is used.
  case revalidate
  /// A stored response whatever its age, else fetch.
  case returnStoredElseLoad
  /// A stored response whatever its age, else fail; without a cache it always fails.
  case returnStoredDontLoad
}

/// Which of two waiting requests goes first: higher before lower, equal in order of arrival.
public struct RequestPriority: RawRepresentable, Sendable, Hashable, Comparable {
  /// −128…127.
  public var rawValue: Int8
  /// Makes a priority.
  public init(rawValue: Int8) { self.rawValue = rawValue }

  /// Can wait.
  public static let low = RequestPriority(rawValue: -64)
  /// The default.
  public static let normal = RequestPriority(rawValue: 0)
  /// Someone is waiting.
  public static let high = RequestPriority(rawValue: 64)

  /// Whether the left one comes before the right one.
  public static func < (left: RequestPriority, right: RequestPriority) -> Bool { left.rawValue < right.rawValue }
}

/// Kinds of network that may carry a request.
public struct AllowedNetworks: OptionSet, Sendable, Hashable {
  /// The value that stands for it.
  public let rawValue: UInt8
  /// Makes one of the value that stands for it.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Wired and Wi-Fi.
  public static let unmetered = AllowedNetworks(rawValue: 1)
  /// Cellular networks.
  public static let cellular = AllowedNetworks(rawValue: 2)
  /// Networks that are marked as expensive.
  public static let expensive = AllowedNetworks(rawValue: 4)
  /// Every network.
  public static let all: AllowedNetworks = [.unmetered, .cellular, .expensive]
}

/// Which HTTP version to speak.
public enum VersionPolicy: String, Sendable, Hashable, CaseIterable {
  /// HTTP/2 where TLS negotiates it, else HTTP/1.1.
  case automatic
  /// HTTP/1.1 only.
  case http1
  /// HTTP/2 from the first byte, in the clear too (RFC 9113 §3.3).
  case http2PriorKnowledge
}

/// The most bytes a second, each way.
public struct RateLimit: Sendable, Hashable {
  /// Bytes a second towards the server, at least 1; nil is no limit.
  public var send: Int64?
  /// Bytes a second from the server, at least 1; nil is no limit.
  public var receive: Int64?

  /// Makes a limit.
  public init(send: Int64? = nil, receive: Int64? = nil) {
    self.send = send
    self.receive = receive
  }
}

/// How a response body will be read, which tells a transport how to share connections.
///
/// A multiplexed connection has to hold what arrives for a slow reader while other streams on it run. A body that is
/// collected or drained is read as it comes and may share with many; one that is streamed through the app's own loop
/// may be slow, so few of them share a connection.
public enum ResponseDelivery: String, Sendable, Hashable {
  /// Read chunk by chunk, as fast as the app likes.
  case streamed
  /// Collected or drained without waiting.
  case collected
}

/// Sends the connections for one host and port elsewhere.
public struct AddressOverride: Sendable, Hashable {
  /// The host of the URL, canonical; nil matches every host.
  public var host: String?
  /// The port of the URL; nil matches every port.
  public var port: Int?
  /// The address or name to connect to instead; IPv6 without brackets.
  public var address: String
  /// The port to connect to; nil keeps the URL's.
  public var addressPort: Int?

  /// Makes an override.
  public init(host: String? = nil, port: Int? = nil, address: String, addressPort: Int? = nil) {
    self.host = host
    self.port = port
    self.address = address
    self.addressPort = addressPort
  }

  /// Whether connections to `origin` go to this address.
  public func matches(_ origin: Origin) -> Bool {
    (host == nil || host == origin.host) && (port == nil || port == origin.port)
  }
}
