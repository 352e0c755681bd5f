import CurlewCore
public import FoundationEssentials

/// An HTTP/1.1 server inside the process, on loopback, that answers well and misbehaves to the byte.
///
/// It runs on one thread of its own, whatever the number of connections, and remembers what it received:
/// ```swift
/// let origin = try await ScriptedOrigin.start { request in .ok("hello \(request.path)") }
/// // … let a client fetch origin.url("/a") …
/// #expect(origin.requests.map(\.path) == ["/a"])
/// await origin.stop()
/// ```
/// The handler is called as soon as a head is complete; `await request.body()` waits for the body. It runs on the
/// origin's thread until it first suspends, so it must not block. Forget `stop` and the origin ends when the last
/// reference to it goes, only later.
public final class ScriptedOrigin: Sendable {
  /// Answers one request.
  public typealias Handler = @Sendable (OriginRequest) async -> OriginReply

  /// The port on loopback, 0 when it listens on a Unix socket only.
  public let port: Int
  /// Whether clients must speak TLS.
  public let isSecure: Bool
  private let server: OriginServer
  private let baseURL: URL
  private let isStopped = Guarded(false)

  /// Starts an origin that asks `handler` for each reply.
  ///
  /// - Throws: `OriginError` when no socket, thread or port can be had.
  public static func start(
    _ options: OriginOptions = OriginOptions(), handler: @escaping Handler
  ) async throws(OriginError)
    -> ScriptedOrigin
  {
    try ScriptedOrigin(options, handler)
  }

  /// Starts an origin that speaks TLS.
  ///
  /// - Throws: `OriginError` when no socket, thread or port can be had, or OpenSSL does not take the identity.
  public static func start(tls: OriginTLS, handler: @escaping Handler) async throws(OriginError) -> ScriptedOrigin {
    try ScriptedOrigin(.with { $0.tls = tls }, handler)
  }

  private init(_ options: OriginOptions, _ handler: @escaping Handler) throws(OriginError) {
    server = try OriginServer(options, handler: handler)
    isSecure = options.tls != nil
    do throws(OriginError) {
      port = Int(try server.listen())
      let host = options.addresses.contains(.ipv4) || !options.addresses.contains(.ipv6) ? "127.0.0.1" : "[::1]"
      guard let url = URL(string: "\(isSecure ? "https" : "http")://\(host)\(port == 0 ? "" : ":\(port)")") else {
        throw OriginError("name itself", reason: "its address makes no URL")
      }
      baseURL = url
    } catch {
      server.loop.stop()
      server.loop.join()
      throw error
    }
  }

  deinit {
    guard !isStopped.withLock({ $0 }) else { return }
    server.loop.stop()
    server.loop.abandon()
  }

  /// Closes all sockets, cancels the handlers under way and waits until they, and the thread, are gone.
  ///
  /// A handler that ignores its cancellation holds this up. A second call waits too and changes nothing.
  public func stop() async {
    isStopped.withLock { $0 = true }
    await server.stop()
  }

  // MARK: Addresses

  /// Returns a URL of this origin. A path that no URL can carry gives the origin's root.
  ///
  /// - Parameters:
  ///   - path: Path and query, beginning with a slash, percent-encoded.
  ///   - host: Another name for this origin, such as `localhost`; nil for its address.
  public func url(_ path: String = "/", host: String? = nil) -> URL {
    URL(string: address(path, host: host)) ?? baseURL
  }

  /// Returns the same as text, unchecked, for clients that are to be shown something odd.
  public func address(_ path: String = "/", host: String? = nil) -> String {
    guard let host else { return baseURL.absoluteString + path }
    return "\(isSecure ? "https" : "http")://\(host):\(port)\(path)"
  }

  // MARK: What it has seen

  /// The newest requests, in the order in which their heads were complete.
  ///
  /// At most `OriginOptions.requestsKept`.
  public var requests: [OriginRequest] { server.ledger.requests }

  /// Connections, requests and replies in numbers.
  public var counters: OriginCounters { server.ledger.counters }

  /// Forgets the requests; the counters stay.
  public func forgetRequests() { server.ledger.forget() }

  /// Waits until the counters satisfy a condition, which may be at once.
  ///
  /// - Returns: False when the origin stopped or the calling task was cancelled before.
  @discardableResult
  public func until(_ condition: @escaping @Sendable (OriginCounters) -> Bool) async -> Bool {
    await server.ledger.until(condition)
  }
}
