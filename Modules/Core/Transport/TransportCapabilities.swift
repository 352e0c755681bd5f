/// The capabilities of a transport.
///
/// If a request needs a capability that the transport lacks, it is rejected with a typed error before a byte is sent: a
/// pin that cannot be checked fails closed. A transport that sends nothing (stub, replay) states the capabilities it
/// simulates.
public struct TransportCapabilities: OptionSet, Sendable, Hashable {
  /// The raw value of the set.
  public let rawValue: UInt32
  /// Creates a set from a raw value.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Calls a `ServerTrustEvaluating` during the TLS handshake.
  public static let serverTrust = TransportCapabilities(rawValue: 1 << 0)
  /// Presents a `ClientIdentity`.
  public static let clientIdentity = TransportCapabilities(rawValue: 1 << 1)
  /// Uses only the exchange's proxy, never one from the environment.
  public static let proxy = TransportCapabilities(rawValue: 1 << 2)
  /// Leaves unread bodies in the socket.
  public static let backpressure = TransportCapabilities(rawValue: 1 << 3)
  /// Measures phases, addresses and reuse.
  public static let metrics = TransportCapabilities(rawValue: 1 << 4)
  /// Supports HTTP/2 if a request asks for it explicitly (`VersionPolicy.http2`).
  public static let http2 = TransportCapabilities(rawValue: 1 << 5)
  /// Supports choosing the HTTP version.
  public static let versionChoice = TransportCapabilities(rawValue: 1 << 6)
  /// Connects to Unix sockets.
  public static let unixSocket = TransportCapabilities(rawValue: 1 << 7)
  /// Connects to addresses other than the host's.
  public static let addressOverrides = TransportCapabilities(rawValue: 1 << 8)
  /// Limits the bytes per second.
  public static let rateLimit = TransportCapabilities(rawValue: 1 << 9)
  /// Returns content as it was sent, and offers no coding itself.
  ///
  /// A transport without it decodes content itself and reports that in `ResponseHead.undoneCoding`.
  public static let rawContent = TransportCapabilities(rawValue: 1 << 10)
  /// Delivers trailer fields.
  public static let trailers = TransportCapabilities(rawValue: 1 << 11)
  /// Reports 1xx heads as events.
  public static let informationalResponses = TransportCapabilities(rawValue: 1 << 12)
  /// Waits for `100 Continue`.
  public static let expectContinue = TransportCapabilities(rawValue: 1 << 13)
  /// Sends streamed bodies while they are produced.
  public static let streamedUploads = TransportCapabilities(rawValue: 1 << 14)
  /// Enforces a separate connect timeout.
  public static let connectTimeout = TransportCapabilities(rawValue: 1 << 15)
  /// Can restrict requests to some kinds of networks.
  public static let allowedNetworks = TransportCapabilities(rawValue: 1 << 16)
  /// Requests stapled OCSP responses and passes them on.
  public static let ocspStapling = TransportCapabilities(rawValue: 1 << 17)
  /// Offers HTTP/2 for requests that do not choose a version.
  public static let automaticHTTP2 = TransportCapabilities(rawValue: 1 << 18)
  /// Opens two-way connections (`DuplexTransport`).
  public static let duplex = TransportCapabilities(rawValue: 1 << 19)

  /// Returns the capabilities that a request in its exchange needs.
  public static func required(by request: Request, in exchange: Exchange) -> TransportCapabilities {
    var needed = request.options.needs
    if exchange.hasServerTrust {
      needed.insert(.serverTrust)
      if exchange.settings.serverTrust?.requirements.requiresStapledOCSP == true { needed.insert(.ocspStapling) }
    }
    if exchange.settings.clientIdentity != nil { needed.insert(.clientIdentity) }
    if exchange.hasProxy { needed.insert(.proxy) }
    if request.options.unixSocketPath != nil { needed.insert(.unixSocket) }
    if !request.options.addressOverrides.isEmpty { needed.insert(.addressOverrides) }
    if request.options.rateLimit != nil { needed.insert(.rateLimit) }
    if request.options.decodesContent == false { needed.insert(.rawContent) }
    if request.options.expectsContinue == true { needed.insert(.expectContinue) }
    if request.options.timeouts.connect != nil { needed.insert(.connectTimeout) }
    if let version = request.options.version, version != .automatic { needed.insert(.versionChoice) }
    if request.options.version == .http2 || request.options.version == .http2PriorKnowledge { needed.insert(.http2) }
    if let networks = request.options.allowedNetworks, networks != .all { needed.insert(.allowedNetworks) }
    if case .stream = request.body.source { needed.insert(.streamedUploads) }
    return needed
  }

  /// The names of the capabilities in this set, for messages.
  public var names: [String] {
    Self.named.filter { contains($0.0) }.map(\.1)
  }

  private static let named: [(TransportCapabilities, String)] = [
    (.serverTrust, "server trust evaluation"), (.clientIdentity, "client identities"), (.proxy, "a choice of proxy"),
    (.backpressure, "backpressure"), (.metrics, "metrics"), (.http2, "HTTP/2"),
    (.versionChoice, "a choice of HTTP version"), (.unixSocket, "Unix sockets"),
    (.addressOverrides, "address overrides"), (.rateLimit, "rate limits"), (.rawContent, "undecoded content"),
    (.trailers, "trailers"), (.informationalResponses, "informational responses"),
    (.expectContinue, "Expect: 100-continue"), (.streamedUploads, "streamed uploads"),
    (.connectTimeout, "connect timeouts"), (.allowedNetworks, "a choice of networks"),
    (.ocspStapling, "stapled OCSP responses"), (.automaticHTTP2, "HTTP/2 by default"),
    (.duplex, "two-way connections"),
  ]
}
