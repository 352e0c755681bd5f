#if AsyncHTTPClient
public import CurlewCore

/// A transport over AsyncHTTPClient, for programs that run on SwiftNIO.
///
/// ```swift
/// let transport = AsyncHTTPClientTransport()
/// let response = try await Loader(transport).load(Request(.get, url))
/// let bytes = try await response.body.collect(upTo: 1 << 20)
/// await transport.shutdown()
/// ```
/// It uses one `HTTPClient` for each set of settings that connections may share: trust, client identity, connect timeout and
/// HTTP version. At most 64 of them are kept, and the least recently used one is shut down.
///
/// ## Server trust
///
/// Without an evaluator, NIOSSL verifies the server against `Configuration.trustRoots`, and HTTP/2 is used where the server
/// chooses it. With an evaluator, the transport adds TLS to the connection itself, so that the evaluator sees the certificates
/// as presented, inside the handshake and before a byte of the request is sent. Such a connection speaks HTTP/1.1: a request
/// that has an evaluator and asks for HTTP/2 by name is refused with `unsupported`.
///
/// Releasing the transport ends it as `shutdown()` does, but without waiting, once the last response body was read.
public final class AsyncHTTPClientTransport: Transport {
  /// The capabilities, equal for every transport of this type.
  public let capabilities: TransportCapabilities = [
    .serverTrust, .clientIdentity, .backpressure, .metrics, .http2, .automaticHTTP2, .versionChoice, .rawContent,
    .trailers,
    .informationalResponses, .streamedUploads, .connectTimeout,
  ]
  private let configuration: Configuration
  private let keeper: HubKeeper

  /// Creates a transport; the first request creates its first client.
  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
    keeper = HubKeeper(Hub(configuration))
  }

  /// Sends one request once; see `Transport`.
  ///
  /// - Throws: `NetworkError`, or `CancellationError`.
  public nonisolated(nonsending) func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    try Task.checkCancellation()
    let plan = try SendPlan(request, in: exchange, capabilities: capabilities, configuration: configuration)
    return try await Flight(plan, exchange: exchange, keeper).response()
  }

  /// Cancels requests in flight with `transportShutDown`, and waits until every connection is closed.
  ///
  /// A connection that is being established is waited for, at most as long as its connect timeout. The event loops are not
  /// ended.
  public func shutdown() async { await keeper.hub.shutdown() }
}

extension Transport where Self == AsyncHTTPClientTransport {
  /// Returns a transport over AsyncHTTPClient.
  public static func asyncHTTPClient(
    _ configuration: AsyncHTTPClientTransport.Configuration = AsyncHTTPClientTransport.Configuration()
  ) -> AsyncHTTPClientTransport {
    AsyncHTTPClientTransport(configuration)
  }
}
#endif
