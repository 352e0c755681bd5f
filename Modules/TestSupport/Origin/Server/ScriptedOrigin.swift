import CurlewCore
public import FoundationEssentials

/// An HTTP/1.1 server on loopback that answers and misbehaves exactly as told.
///
/// It runs inside the process on one thread, whatever the number of connections, and records what it receives:
/// ```swift
/// let origin = try await ScriptedOrigin.start { request in .ok("hello \(request.path)") }
/// // … let a client fetch origin.url("/a") …
/// #expect(origin.requests.map(\.path) == ["/a"])
/// await origin.stop()
/// ```
/// The handler is called as soon as a head is complete; `await request.body()` waits for the body. It runs on the origin's
/// thread until it first suspends, so it must not block. Without `stop`, the origin ends some time after its last reference is
/// released.
public final class ScriptedOrigin: Sendable {
  /// Answers one request.
  public typealias Handler = @Sendable (OriginRequest) async -> OriginReply

  /// The port on loopback; 0 if it only listens on a Unix socket.
  public let port: Int
  /// Whether clients must use TLS.
  public let isSecure: Bool
  private let server: OriginServer
  private let baseURL: URL
  private let isStopped = Guarded(false)

  /// Starts an origin that asks `handler` for each reply.
  ///
  /// - Throws: `OriginError` when no socket, thread or port is available.
  public static func start(
    _ options: OriginOptions = OriginOptions(), handler: @escaping Handler
  ) async throws(OriginError)
    -> ScriptedOrigin
  {
    try ScriptedOrigin(options, handler)
  }

  /// Starts an origin that uses TLS.
  ///
  /// - Throws: `OriginError` when no socket, thread or port is available, or OpenSSL rejects the identity.
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
        throw OriginError("create its URL", reason: "its address is not valid in a URL")
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

  /// Closes all sockets, cancels running handlers and waits for the end.
  ///
  /// A handler that ignores cancellation delays this. A second call waits as well and changes nothing. The port refuses
  /// connections until the last reference to the origin is released, so a test can ask a server that is gone.
  public func stop() async {
    isStopped.withLock { $0 = true }
    await server.stop()
  }

  // MARK: Addresses

  /// Returns a URL of this origin; its root if the path is not valid in a URL.
  ///
  /// - Parameters:
  ///   - path: The path and query, beginning with a slash, percent-encoded.
  ///   - host: Another name of this origin, such as `localhost`; nil for its address.
  public func url(_ path: String = "/", host: String? = nil) -> URL {
    URL(string: address(path, host: host)) ?? baseURL
  }

  /// Returns an address as text, unchecked, for clients that must see invalid URLs.
  public func address(_ path: String = "/", host: String? = nil) -> String {
    guard let host else { return baseURL.absoluteString + path }
    return "\(isSecure ? "https" : "http")://\(host):\(port)\(path)"
  }

  // MARK: What it has seen

  /// The newest requests, in the order in which their heads were completed.
  ///
  /// There are at most `OriginOptions.requestsKept`.
  public var requests: [OriginRequest] { server.ledger.requests }

  /// The numbers of connections, requests and replies.
  public var counters: OriginCounters { server.ledger.counters }

  /// Removes the recorded requests; the counters stay.
  public func forgetRequests() { server.ledger.forget() }

  /// Waits until the counters satisfy a condition, possibly at once.
  ///
  /// - Returns: False if the origin stopped or the task was cancelled first.
  @discardableResult
  public func until(_ condition: @escaping @Sendable (OriginCounters) -> Bool) async -> Bool {
    await server.ledger.until(condition)
  }
}
