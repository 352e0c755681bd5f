package import CurlewTestSupport
package import FoundationEssentials

/// An HTTP proxy in the process, with forwarding, tunnels and authentication.
///
/// It listens and connects only on loopback: every name leads to 127.0.0.1, and `::1` to itself. The port is the
/// target's, or the one in `routes`.
/// The proxy stops with `stop`, or when the last reference to it is released.
package final class ScriptedProxy: Sendable {
  /// The port on 127.0.0.1.
  package var port: Int { handle.port }
  /// The proxy's URL, without credentials.
  package let url: URL
  private let handle: ProxyHandle<ProxyRequest>

  /// Starts a proxy.
  ///
  /// - Parameters:
  ///   - credentials: The required `user:password` of Basic proxy authentication; the proxy answers 407 to others. With nil it
  ///     requires none.
  ///   - routes: The loopback ports to use for a `host:port`.
  ///   - verdict: Decides about each request with valid credentials. It runs on the proxy's thread and must not block.
  /// - Throws: `OriginError` when no socket, thread or port is available.
  package static func start(
    credentials: String? = nil, routes: [String: Int] = [:],
    verdict: @escaping @Sendable (ProxyRequest) -> ProxyVerdict = { _ in .forward }
  ) async throws(OriginError) -> ScriptedProxy {
    try ScriptedProxy(credentials, routes, verdict)
  }

  private init(
    _ credentials: String?, _ routes: [String: Int], _ verdict: @escaping @Sendable (ProxyRequest) -> ProxyVerdict
  ) throws(OriginError) {
    handle = try ProxyHandle(routes: routes) { record in
      HTTPProxyNegotiation(
        verdict: { request in
          if let credentials, request.basicCredentials != credentials {
            return .status(407, ["Proxy-Authenticate": "Basic realm=\"curlew\""])
          }
          return verdict(request)
        }, record: record)
    }
    url = try handle.url("http")
  }

  /// The newest 10,000 requests, including those that were refused.
  package var requests: [ProxyRequest] { handle.requests }

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
