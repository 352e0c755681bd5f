public import CurlewCore

/// Sends requests.
public final class PlaceholderTransport: Transport {
  private let engine: PlaceholderEngine

  /// The capabilities of the transport; a request that needs another one is rejected before a byte is sent.
  public let capabilities: TransportCapabilities

  /// Creates a transport.
  ///
  /// - Throws: `NetworkError` when there are no resources for it.
  public init() throws(NetworkError) {
    engine = try PlaceholderEngine()
    capabilities = engine.capabilities
  }

  /// Sends one request once; see `Transport`.
  ///
  /// - Throws: `NetworkError`, or `CancellationError`.
  public nonisolated(nonsending) func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    let missing = TransportCapabilities.required(by: request, in: exchange).subtracting(capabilities)
    guard missing.isEmpty else { throw NetworkError.unsupported(missing, request: request) }
    try Task.checkCancellation()
    return try await engine.send(request, in: exchange)
  }

  /// Ends all requests and releases everything; see `Transport`.
  public func shutdown() async { await engine.shutdown() }
}
