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
