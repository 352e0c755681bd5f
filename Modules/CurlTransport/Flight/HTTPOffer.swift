import CurlewCore

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
