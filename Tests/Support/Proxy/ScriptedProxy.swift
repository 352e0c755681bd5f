package import CurlewTestSupport
package import FoundationEssentials

/// An HTTP proxy inside the process, on loopback: forwards absolute-form requests, makes tunnels, asks for credentials.
///
/// It reaches loopback only: every target's name stands for 127.0.0.1, `::1` for itself, on the target's port or the
/// one `routes` gives.
/// Forget `stop` and it ends when the last reference to it goes.
package final class ScriptedProxy: Sendable {
  /// The port on 127.0.0.1.
  package var port: Int { handle.port }
  /// The proxy's URL, without credentials.
  package let url: URL
  private let handle: ProxyHandle<ProxyRequest>

  /// Starts a proxy.
  ///
  /// - Parameters:
  ///   - credentials: `user:password` that Basic proxy authentication must give, else 407; nil asks for none.
  ///   - routes: Ports on loopback in place of `host:port`.
  ///   - verdict: What to do with a request whose credentials are right. Called on the proxy's thread; must not block.
  /// - Throws: `OriginError` when no socket, thread or port can be had.
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

  /// The newest 10,000 requests, refused ones included.
  package var requests: [ProxyRequest] { handle.requests }

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
