import CurlewCore
public import FoundationEssentials

/// An HTTP proxy inside the process, on loopback: forwards absolute-form requests, makes tunnels, asks for credentials.
///
/// It reaches loopback only: every target's name stands for 127.0.0.1, `::1` for itself, on the target's port or the
/// one `routes` gives.
/// ```swift
/// let proxy = try await ScriptedProxy.start(credentials: "user:secret", routes: ["api.example:443": origin.port])
/// ```
/// Forget `stop` and it ends when the last reference to it goes.
public final class ScriptedProxy: Sendable {
  /// The port on 127.0.0.1.
  public let port: Int
  /// The proxy's URL, without credentials.
  public let url: URL
  private let server: ProxyServer
  private let log: ProxyLog<ProxyRequest>
  private let isStopped = Guarded(false)

  /// Starts a proxy.
  ///
  /// - Parameters:
  ///   - credentials: `user:password` that Basic proxy authentication must give, else 407; nil asks for none.
  ///   - routes: Ports on loopback in place of `host:port`.
  ///   - verdict: What to do with a request whose credentials are right. Called on the proxy's thread; must not block.
  /// - Throws: `OriginError` when no socket, thread or port can be had.
  public static func start(
    credentials: String? = nil, routes: [String: Int] = [:],
    verdict: @escaping @Sendable (ProxyRequest) -> ProxyVerdict = { _ in .forward }
  ) async throws(OriginError) -> ScriptedProxy {
    try ScriptedProxy(credentials, routes, verdict)
  }

  private init(
    _ credentials: String?, _ routes: [String: Int], _ verdict: @escaping @Sendable (ProxyRequest) -> ProxyVerdict
  ) throws(OriginError) {
    let log = ProxyLog<ProxyRequest>()
    self.log = log
    server = try ProxyServer(routes: routes) {
      HTTPProxyNegotiation(
        verdict: { request in
          if let credentials, request.basicCredentials != credentials {
            return .status(407, ["Proxy-Authenticate": "Basic realm=\"curlew\""])
          }
          return verdict(request)
        }, record: log.append)
    }
    port = Int(try server.listen())
    url = try loopbackURL("http", port)
  }

  deinit {
    guard !isStopped.withLock({ $0 }) else { return }
    server.loop.stop()
    server.loop.abandon()
  }

  /// The newest 10,000 requests, refused ones included.
  public var requests: [ProxyRequest] { log.entries }

  /// Connections in numbers; requests are not counted here.
  public var counters: OriginCounters { server.ledger.counters }

  /// Waits until the counters satisfy a condition; see `ScriptedOrigin.until`.
  @discardableResult
  public func until(_ condition: @escaping @Sendable (OriginCounters) -> Bool) async -> Bool {
    await server.ledger.until(condition)
  }

  /// Closes all sockets and waits until the thread is gone.
  public func stop() async {
    isStopped.withLock { $0 = true }
    server.stop()
  }
}

/// The newest entries of something, up to 10,000.
final class ProxyLog<Entry: Sendable>: Sendable {
  private let list = Guarded<[Entry]>([])
  private static var limit: Int { 10_000 }

  var entries: [Entry] { list.withLock { $0.suffix(Self.limit) } }

  func append(_ entry: Entry) {
    list.withLock { list in
      list.append(entry)
      if list.count >= 2 * Self.limit { list.removeFirst(Self.limit) }
    }
  }
}

/// The URL of a port on 127.0.0.1.
func loopbackURL(_ scheme: String, _ port: Int) throws(OriginError) -> URL {
  guard let url = URL(string: "\(scheme)://127.0.0.1:\(port)") else {
    throw OriginError("name itself", reason: "its address makes no URL")
  }
  return url
}
