import CurlewCore

/// Which HTTP versions a new connection of a request offers.
enum HTTPOffer {
  /// HTTP/2 and HTTP/1.1 over TLS, HTTP/1.1 without it.
  case negotiated
  /// HTTP/1.1.
  case http1
  /// HTTP/2 from the first byte.
  case priorKnowledge

  /// What requests over TLS offer that do not ask for a version.
  static let usual = HTTPOffer(.automatic, .https)

  /// What a policy means on the libcurl that is loaded.
  ///
  /// - Parameter offersHTTP2: Whether HTTP/2 is offered unasked.
  init(_ policy: VersionPolicy, _ scheme: Origin.Scheme, offersHTTP2: Bool = CurlLibrary.loaded.offersHTTP2) {
    switch policy {
    case .http1: self = .http1
    case .http2PriorKnowledge: self = .priorKnowledge
    case .http2: self = .negotiated
    // Without TLS nothing is negotiated, and an option that is left alone costs nothing.
    case .automatic: self = offersHTTP2 || scheme == .http ? .negotiated : .http1
    }
  }
}
