/// The options of a request; a nil option takes the loader's default.
public struct RequestOptions: Sendable, Hashable {
  /// The timeouts.
  public var timeouts = Timeouts()
  /// How a cache may be used; it has no effect without a cache in the chain.
  public var cachePolicy: CachePolicy?
  /// How many redirects to follow, 0 or more; 0 returns the 3xx.
  public var redirectLimit: Int?
  /// Whether cookies are sent and stored; nil means true.
  ///
  /// It has no effect without a jar in the chain.
  public var handlesCookies: Bool?
  /// The priority among waiting requests.
  public var priority: RequestPriority?
  /// The networks that may carry it; nil means all.
  ///
  /// It requires `NetworkGate` in the chain, because transports reject it.
  public var allowedNetworks: AllowedNetworks?
  /// Whether to wait for `100 Continue` before the body (RFC 9110 §10.1.1).
  ///
  /// Nil means false.
  public var expectsContinue: Bool?
  /// Whether content codings are offered and decoded, if the chain has a decoder.
  ///
  /// Nil means true, unless the request sets `Accept-Encoding`. True decodes in that case, too. False offers no codings
  /// and returns the body as it was sent.
  public var decodesContent: Bool?
  /// The HTTP version; nil leaves it to the transport, which uses `.automatic`.
  public var version: VersionPolicy?
  /// The most bytes per second in each direction; nil sets no limit.
  public var rateLimit: RateLimit?
  /// Overrides whether the method is idempotent; nil follows RFC 9110 §9.2.2.
  public var isIdempotent: Bool?
  /// How the body will be read; nil means `.streamed`.
  public var delivery: ResponseDelivery?
  /// Connects to this Unix socket instead of the host.
  ///
  /// A path of 1 to 107 bytes. The URL still determines the name, `Host` and trust.
  public var unixSocketPath: String?
  /// Connects to other addresses; the first match applies.
  ///
  /// The URL still determines the name, `Host` and trust.
  public var addressOverrides: [AddressOverride] = []
  /// Capabilities that the transport must have beside those that the other options imply; none by default.
  ///
  /// A transport that lacks one refuses the request with `unsupported`, and a `TransportRegistry` chooses another. Such a need is
  /// that of a reader of trailers, `.trailers`, or of a reader that must be able to stop the server, `.backpressure`.
  public var needs: TransportCapabilities = []

  /// Creates options that are unset except for these.
  ///
  /// ```swift
  /// let options = RequestOptions(timeouts: Timeouts(connect: .seconds(2)))
  /// ```
  public init(timeouts: Timeouts = Timeouts(), isIdempotent: Bool? = nil) {
    self.timeouts = timeouts
    self.isIdempotent = isIdempotent
  }

  /// Creates options that are unset except for the time of one attempt, `timeouts.total`.
  ///
  /// ```swift
  /// let text = try await session.get("birds/7", .string, options: RequestOptions(timeout: .seconds(2)))
  /// ```
  public init(timeout: Duration) { self.init(timeouts: Timeouts(total: timeout)) }

  /// Returns these options, with unset ones taken from `defaults`.
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
    merged.needs.formUnion(defaults.needs)
    return merged
  }
}

/// The timeouts of a request.
///
/// Time in a transport's queue does not count. Zero and negative durations are rejected with
/// `NetworkError.Kind.invalidRequest`; a fraction of a millisecond counts as one.
public struct Timeouts: Sendable, Hashable, Codable {
  /// The time for lookup, connection, proxy and TLS handshake together.
  ///
  /// Nil uses the transport's default.
  public var connect: Duration?
  /// The longest time without a byte in either direction.
  ///
  /// It does not run while the reader makes the transport wait.
  public var idle: Duration?
  /// The time of one attempt, from leaving the queue to the body's last byte.
  ///
  /// It always runs.
  public var total: Duration?

  /// Creates timeouts; nil leaves a timeout unset.
  public init(connect: Duration? = nil, idle: Duration? = nil, total: Duration? = nil) {
    self.connect = connect
    self.idle = idle
    self.total = total
  }

  /// A number has no unit.
  @available(*, unavailable, message: "Write the unit: Timeouts(total: .seconds(2))")
  public init(connect: Double? = nil, idle: Double? = nil, total: Double? = nil) {}

  /// Whether all timeouts are unset.
  package var isUnset: Bool { connect == nil && idle == nil && total == nil }

  /// Returns these timeouts, with unset ones taken from `defaults`.
  public func over(_ defaults: Timeouts) -> Timeouts {
    Timeouts(
      connect: connect ?? defaults.connect, idle: idle ?? defaults.idle, total: total ?? defaults.total)
  }
}

/// How a cache may be used for one request, as in `URLRequest`.
///
/// `reload`, `noStore` and `revalidate` also tell the caches on the way, with `Cache-Control` and `Pragma`, unless the request
/// sets these fields itself.
public enum CachePolicy: String, Sendable, Hashable, CaseIterable, Codable {
  /// Follow RFC 9111.
  case protocolDefined
  /// Fetch the response; it may be stored.
  case reload
  /// Fetch the response and do not store it.
  case noStore
  /// Validate a stored response before using it.
  case revalidate
  /// Use a stored response whatever its age; otherwise fetch.
  case returnStoredElseLoad
  /// Use a stored response whatever its age; otherwise fail.
  ///
  /// Without a cache it always fails.
  case returnStoredDontLoad
}

/// The priority among waiting requests; equal ones keep their order of arrival.
public struct RequestPriority: RawRepresentable, Sendable, Hashable, Comparable, Codable {
  /// The value, −128 to 127.
  public var rawValue: Int8
  /// Creates a priority.
  public init(rawValue: Int8) { self.rawValue = rawValue }

  /// The request can wait.
  public static let low = RequestPriority(rawValue: -64)
  /// The default.
  public static let normal = RequestPriority(rawValue: 0)
  /// A user is waiting.
  public static let high = RequestPriority(rawValue: 64)

  /// Returns whether the left priority is lower.
  public static func < (left: RequestPriority, right: RequestPriority) -> Bool { left.rawValue < right.rawValue }
}

/// The kinds of networks that may carry a request.
public struct AllowedNetworks: OptionSet, Sendable, Hashable, Codable {
  /// The raw value of the set.
  public let rawValue: UInt8
  /// Creates a set from a raw value.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Wired and Wi-Fi networks.
  public static let unmetered = AllowedNetworks(rawValue: 1)
  /// Cellular networks.
  public static let cellular = AllowedNetworks(rawValue: 2)
  /// Networks that are marked as expensive.
  public static let expensive = AllowedNetworks(rawValue: 4)
  /// Every network.
  public static let all: AllowedNetworks = [.unmetered, .cellular, .expensive]
}

/// The HTTP version to use.
public enum VersionPolicy: String, Sendable, Hashable, CaseIterable, Codable {
  /// HTTP/2 if TLS negotiates it, otherwise HTTP/1.1.
  ///
  /// A transport that does not offer HTTP/2 unasked lacks `TransportCapabilities.automaticHTTP2`.
  case automatic
  /// HTTP/1.1 only.
  case http1
  /// HTTP/2 if TLS negotiates it, otherwise HTTP/1.1.
  ///
  /// A transport that lacks `TransportCapabilities.http2` refuses it.
  case http2
  /// HTTP/2 from the first byte, also without TLS (RFC 9113 §3.3).
  case http2PriorKnowledge
}

/// The most bytes per second in each direction.
public struct RateLimit: Sendable, Hashable, Codable {
  /// Bytes per second to the server, at least 1; nil sets no limit.
  public var send: Int64?
  /// Bytes per second from the server, at least 1; nil sets no limit.
  public var receive: Int64?

  /// Creates a limit.
  public init(send: Int64? = nil, receive: Int64? = nil) {
    self.send = send
    self.receive = receive
  }
}

/// How a response's body will be read, which decides about sharing connections.
///
/// A multiplexed connection must buffer what arrives for a slow or paused reader while its other streams continue. A
/// body that is collected is read as it arrives and may share a connection with many others. A body that the app's own
/// loop reads, or that may be paused, gets a connection of its own.
public enum ResponseDelivery: String, Sendable, Hashable, Codable {
  /// Read at the app's own speed, and possibly paused.
  case streamed
  /// Collected or drained without a pause.
  case collected
}

/// Redirects connections for a host and port to another address.
public struct AddressOverride: Sendable, Hashable, Codable {
  /// The canonical host of the URL; nil matches every host.
  public var host: String?
  /// The port of the URL; nil matches every port.
  public var port: Int?
  /// The address or name to connect to instead; IPv6 without brackets.
  public var address: String
  /// The port to connect to; nil means the URL's.
  public var addressPort: Int?

  /// Creates an override.
  public init(host: String? = nil, port: Int? = nil, address: String, addressPort: Int? = nil) {
    self.host = host
    self.port = port
    self.address = address
    self.addressPort = addressPort
  }

  /// Returns whether the override applies to `origin`.
  public func matches(_ origin: Origin) -> Bool {
    (host == nil || host == origin.host) && (port == nil || port == origin.port)
  }
}
