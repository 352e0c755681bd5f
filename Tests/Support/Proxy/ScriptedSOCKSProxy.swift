package import CurlewTestSupport
package import FoundationEssentials

/// One request as a scripted SOCKS proxy received it.
package struct SOCKSRequest: Sendable, Hashable {
  /// The host asked for, a name or an address.
  package var host: String
  /// The port asked for.
  package var port: Int
  /// Whether the host came as a name, for the proxy to look up.
  package var isName: Bool
  /// The user that gave the right password; nil without authentication.
  package var user: String?

  /// Creates a request.
  package init(host: String, port: Int, isName: Bool, user: String? = nil) {
    self.host = host
    self.port = port
    self.isName = isName
    self.user = user
  }
}

/// What a scripted SOCKS proxy does with one request.
package struct SOCKSVerdict: Sendable {
  enum Kind: Sendable {
    case forward
    case refuse(UInt8)
    case hangUp
    case stall
  }
  let kind: Kind

  /// The connection is made.
  package static var forward: SOCKSVerdict { SOCKSVerdict(kind: .forward) }
  /// Returns a reply with a code of RFC 1928 §6: 2 not allowed, 3 network, 4 host unreachable, 5 refused.
  package static func refuse(_ code: UInt8) -> SOCKSVerdict { SOCKSVerdict(kind: .refuse(code)) }
  /// The connection is closed without a reply.
  package static var hangUp: SOCKSVerdict { SOCKSVerdict(kind: .hangUp) }
  /// There is no reply.
  package static var stall: SOCKSVerdict { SOCKSVerdict(kind: .stall) }
}

/// A SOCKS 5 proxy inside the process, on loopback (RFC 1928), with user and password where wanted (RFC 1929).
///
/// It reaches loopback only: every name stands for 127.0.0.1, `::1` for itself, on the port asked for or the one
/// `routes` gives. Forget `stop` and it ends when the last reference to it goes.
package final class ScriptedSOCKSProxy: Sendable {
  /// The port on 127.0.0.1.
  package var port: Int { handle.port }
  /// The proxy's URL: the proxy looks names up, as `socks5h` says.
  package let url: URL
  private let handle: ProxyHandle<SOCKSRequest>

  /// Starts a proxy.
  ///
  /// - Parameters:
  ///   - credentials: `user:password` that clients must give; nil asks for none.
  ///   - routes: Ports on loopback in place of `host:port`.
  ///   - verdict: What to do with a request. Called on the proxy's thread; must not block.
  /// - Throws: `OriginError` when no socket, thread or port can be had.
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

  /// The newest 10,000 requests, refused ones included.
  package var requests: [SOCKSRequest] { handle.requests }

  /// Connections in numbers; requests are not counted here.
  package var counters: OriginCounters { handle.ledger.counters }

  /// Waits until the counters satisfy a condition; see `ScriptedOrigin.until`.
  @discardableResult
  package func until(_ condition: @escaping @Sendable (OriginCounters) -> Bool) async -> Bool {
    await handle.ledger.until(condition)
  }

  /// Closes all sockets and waits until the thread is gone.
  package func stop() async {
    handle.stop()
  }
}
