package import CurlewTestSupport
package import FoundationEssentials

/// A request as a scripted SOCKS proxy received it.
package struct SOCKSRequest: Sendable, Hashable {
  /// The requested host, a name or an address.
  package var host: String
  /// The requested port.
  package var port: Int
  /// Whether the host is a name, which the proxy resolves.
  package var isName: Bool
  /// The authenticated user; nil without authentication.
  package var user: String?

  /// Creates a request.
  package init(host: String, port: Int, isName: Bool, user: String? = nil) {
    self.host = host
    self.port = port
    self.isName = isName
    self.user = user
  }
}

/// The decision of a scripted SOCKS proxy about one request.
package struct SOCKSVerdict: Sendable {
  enum Kind: Sendable {
    case forward
    case refuse(UInt8)
    case hangUp
    case stall
  }
  let kind: Kind

  /// Connects to the target.
  package static var forward: SOCKSVerdict { SOCKSVerdict(kind: .forward) }
  /// Returns a refusal with a reply code of RFC 1928 §6.
  ///
  /// The codes are 2 not allowed, 3 network unreachable, 4 host unreachable, 5 connection refused.
  package static func refuse(_ code: UInt8) -> SOCKSVerdict { SOCKSVerdict(kind: .refuse(code)) }
  /// Closes the connection without a reply.
  package static var hangUp: SOCKSVerdict { SOCKSVerdict(kind: .hangUp) }
  /// Never replies.
  package static var stall: SOCKSVerdict { SOCKSVerdict(kind: .stall) }
}

/// An in-process SOCKS 5 proxy on loopback (RFC 1928, RFC 1929).
///
/// It connects only to loopback: every name leads to 127.0.0.1, and `::1` to itself. The port is the requested one, or the
/// one in `routes`. The proxy stops with `stop`, or when the last reference to it is released.
package final class ScriptedSOCKSProxy: Sendable {
  /// The port on 127.0.0.1.
  package var port: Int { handle.port }
  /// The proxy's URL; its scheme, `socks5h`, lets the proxy resolve names.
  package let url: URL
  private let handle: ProxyHandle<SOCKSRequest>

  /// Starts a proxy.
  ///
  /// - Parameters:
  ///   - credentials: The required `user:password`; nil requires none.
  ///   - routes: The loopback ports to use for a `host:port`.
  ///   - verdict: Decides about each request. It runs on the proxy's thread and must not block.
  /// - Throws: `OriginError` when no socket, thread or port is available.
  package static func start(
    credentials: String? = nil, routes: [String: Int] = [:],
    verdict: @escaping @Sendable (SOCKSRequest) -> SOCKSVerdict = { _ in .forward }
  ) async throws(OriginError) -> ScriptedSOCKSProxy {
    try ScriptedSOCKSProxy(credentials, routes, verdict)
  }

  private init(
    _ credentials: String?, _ routes: [String: Int], _ verdict: @escaping @Sendable (SOCKSRequest) -> SOCKSVerdict
  ) throws(OriginError) {
    handle = try ProxyHandle(routes: routes) { record in
      SOCKSNegotiation(credentials: credentials, verdict: verdict, record: record)
    }
    url = try handle.url("socks5h")
  }

  /// The newest 10,000 requests, including those that were refused.
  package var requests: [SOCKSRequest] { handle.requests }

  /// The counters of connections; they do not count requests.
  package var counters: OriginCounters { handle.ledger.counters }

  /// Waits until the counters satisfy a condition; see `ScriptedOrigin.until`.
  @discardableResult
  package func until(_ condition: @escaping @Sendable (OriginCounters) -> Bool) async -> Bool {
    await handle.ledger.until(condition)
  }

  /// Closes all sockets and waits until the thread has ended.
  package func stop() async {
    handle.stop()
  }
}
