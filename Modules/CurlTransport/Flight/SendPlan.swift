import CLibcurl
import CurlewCore
import FoundationEssentials
import HTTPTypes

/// The preparation of one request for libcurl, on the caller's task.
///
/// A request that cannot be sent is rejected here, before the loop receives it.
final class SendPlan: Sendable {
  let request: Request
  let origin: Origin
  /// The URL in a form that all parsers read in the same way.
  let target: String
  /// The request target, if libcurl would write another one.
  let exactTarget: String?
  let headers: HeaderList
  let priority: Int8
  let delivery: ResponseDelivery
  let expectsContinue: Bool
  let limits: TimeLimits
  let version: HTTPOffer
  let proxy: Proxy?
  let connectTo: String?
  /// The terms of trust; nil for plain `http`.
  let trust: TrustLocks.Terms?
  let isFresh: Bool
  /// Whether no other request may use its connection, before or after it.
  let isAlone: Bool
  /// Whether only a connection is to be made.
  let isDuplex: Bool
  /// Whether to notice refused and prematurely ended streams.
  ///
  /// A server can state that it refused a request unprocessed, or end a response before the request.
  let mayBeRefused: Bool
  /// Whether the connection may use HTTP/2.
  var mayMultiplex: Bool { version == .priorKnowledge || (version == .negotiated && trust != nil) }

  init(
    _ request: Request, in exchange: Exchange, capabilities: TransportCapabilities,
    configuration: CurlTransport.Configuration, limits: TimeLimits, isDuplex: Bool = false
  ) throws(NetworkError) {
    let fields = request.headerFields
    let place = request.parsedURL.reading
    origin = try RequestCheck.origin(of: place)
    target = try RequestTarget.text(of: request, place, origin)
    try RequestCheck.validate(request, in: exchange, for: capabilities)
    exactTarget = place.endsWithQuestionMark ? Self.exactTarget(request, target, origin, exchange) : nil
    self.request = request
    priority = request.options.priority?.rawValue ?? 0
    // Over HTTP/2, a request that waits for its rate must not share a connection.
    delivery = request.options.rateLimit == nil ? request.options.delivery ?? .streamed : .streamed
    expectsContinue =
      request.options.expectsContinue ?? (!fields.isEmpty && fields[.expect]?.lowercased() == "100-continue")
    let proxy = exchange.hasProxy ? try RequestCheck.proxy(of: exchange) : nil
    self.proxy = proxy
    headers = HeaderList.of(
      request, expectsContinue: expectsContinue,
      isTunneled: proxy?.kind == .http && (origin.scheme == .https || isDuplex))
    let ours =
      request.options.timeouts.isUnset ? limits : TimeLimits(request.options.timeouts.over(configuration.timeouts))
    if exchange.hasDeadline, let deadline = exchange.settings.deadline {
      self.limits = try ours.within(exchange.settings.clock.now.left(until: deadline))
    } else {
      self.limits = ours
    }
    self.isDuplex = isDuplex
    version = isDuplex ? .http1 : HTTPOffer(request.options.version ?? configuration.version, origin.scheme)
    connectTo =
      request.options.addressOverrides.isEmpty ? nil : Self.connectTo(request.options.addressOverrides, origin)
    isFresh = exchange.requiresFreshConnection || isDuplex
    isAlone = origin.scheme == .http && ProxyAccount.bindsConnection(proxy)
    mayBeRefused = !request.body.isEmpty || !request.isIdempotent
    trust = try TrustLocks.terms(origin, exchange, configuration, proxy)
  }

  /// Returns the request target if libcurl would write another one.
  ///
  /// Newer versions drop the question mark of an empty query. A proxy receives the whole URL.
  private static func exactTarget(
    _ request: Request, _ target: String, _ origin: Origin, _ exchange: Exchange
  ) -> String? {
    let isForwarded = exchange.settings.proxy?.kind == .http && origin.scheme == .http
    return isForwarded ? target : request.parsedURL.target.map { String($0) }
  }

  private static func connectTo(_ overrides: [AddressOverride], _ origin: Origin) -> String? {
    guard let match = overrides.first(where: { $0.matches(origin) }) else { return nil }
    let address = match.address.utf8.contains(UInt8(ascii: ":")) ? "[\(match.address)]" : match.address
    return "\(origin.urlHost):\(origin.port):\(address):\(match.addressPort ?? origin.port)"
  }
}

/// The HTTP versions that a new connection offers.
enum HTTPOffer {
  /// HTTP/2 and HTTP/1.1 over TLS; HTTP/1.1 without TLS.
  case negotiated
  /// HTTP/1.1.
  case http1
  /// HTTP/2 from the first byte.
  case priorKnowledge

  /// The offer over TLS of requests that do not set a version.
  static let usual = HTTPOffer(.automatic, .https)

  /// Creates the offer of a version policy.
  ///
  /// - Parameter offersHTTP2: Whether HTTP/2 is offered at all. Without it, a policy that names HTTP/2 is refused before.
  init(_ policy: VersionPolicy, _ scheme: Origin.Scheme, offersHTTP2: Bool = CurlLibrary.loaded.has(.http2)) {
    switch policy {
    case .http1: self = .http1
    case .http2PriorKnowledge: self = .priorKnowledge
    case .http2: self = .negotiated
    // Without TLS there is no negotiation, and leaving the option unset costs nothing.
    case .automatic: self = offersHTTP2 || scheme == .http ? .negotiated : .http1
    }
  }
}

/// Timeouts in libcurl's units.
struct TimeLimits: Sendable {
  /// The connect timeout in milliseconds; 0 means libcurl's default, five minutes.
  var connect: Int
  /// The idle timeout in nanoseconds; nil means none.
  var idle: UInt64?
  /// The total timeout in milliseconds; 0 means none.
  var total: Int

  /// The nanoseconds until the request must have a connection.
  ///
  /// libcurl applies this timeout to the request that connects, but not to those that wait to share its connection.
  var toBegin: UInt64 {
    let connect = self.connect > 0 ? self.connect : 300_000
    return UInt64(total > 0 ? min(connect, total) : connect) * 1_000_000
  }

  /// The limits as an error tells them.
  var timeouts: Timeouts {
    Timeouts(
      connect: connect > 0 ? .milliseconds(connect) : nil, idle: idle.map { .nanoseconds($0) },
      total: total > 0 ? .milliseconds(total) : nil)
  }

  init(_ timeouts: Timeouts) {
    connect = Self.milliseconds(timeouts.connect) ?? 0
    idle = Self.milliseconds(timeouts.idle).map { UInt64($0) * 1_000_000 }
    total = Self.milliseconds(timeouts.total) ?? 0
  }

  /// Returns these limits, with the total limited to the time until a deadline.
  func within(_ left: Duration) throws(NetworkError) -> TimeLimits {
    guard left > .zero, let milliseconds = Self.milliseconds(left) else {
      throw NetworkError(.timedOut, stage: .preparing, message: "The deadline has passed.")
    }
    var limits = self
    limits.total = total == 0 ? milliseconds : min(total, milliseconds)
    return limits
  }

  /// Returns whole milliseconds, at least 1; nil without a limit.
  private static func milliseconds(_ duration: Duration?) -> Int? {
    guard let duration else { return nil }
    guard duration > .zero else { return 1 }
    let (seconds, attoseconds) = duration.limited.components
    let limit: Int64 = 1_000_000
    guard seconds < limit else { return Int(limit) * 1000 }
    return max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
  }
}

/// The URL that is passed to libcurl.
enum RequestTarget {
  /// Returns the canonical URL, after checking that libcurl reads the same origin.
  ///
  /// If two parsers disagreed, one host could be checked and another one contacted.
  static func text(
    of request: Request, _ place: ParsedURL.Reading, _ origin: Origin
  ) throws(NetworkError) -> String {
    if !place.isCanonicalAsWritten { try checkAgreement(request.url.absoluteString, origin) }
    guard place.isOneWord else {
      throw NetworkError(
        .invalidURL, stage: .preparing,
        message:
          "The URL's path or query contains a space, a control character, a backslash or a character beyond ASCII.")
    }
    return place.canonical
  }

  private static func checkAgreement(_ written: String, _ origin: Origin) throws(NetworkError) {
    guard let parsed = curl_url() else { throw .exhausted("libcurl has no memory for a URL.") }
    defer { curl_url_cleanup(parsed) }
    guard curl_url_set(parsed, CURLUPART_URL, written, UInt32(CURLU_PATH_AS_IS)) == CURLUE_OK,
      let scheme = part(parsed, CURLUPART_SCHEME), let host = part(parsed, CURLUPART_HOST),
      let port = part(parsed, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT))
    else { throw disagreement }
    var read: Origin?
    if let kind = Origin.Scheme(rawValue: scheme.lowercased()) {
      read = try? Origin(scheme: kind, host: host, port: Int(port))
    }
    guard read == origin else { throw disagreement }
  }

  private static var disagreement: NetworkError {
    NetworkError(.invalidURL, stage: .preparing, message: "Two parsers read the URL's host or port differently.")
  }

  private static func part(_ url: OpaquePointer, _ what: CURLUPart, _ flags: UInt32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(url, what, &text, flags) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
}
