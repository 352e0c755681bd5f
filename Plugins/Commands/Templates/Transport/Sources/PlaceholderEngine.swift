import CurlewCore

/// Moves the bytes.
struct PlaceholderEngine: Sendable {
  /// What the engine can do.
  var capabilities: TransportCapabilities { [] }

  init() throws(NetworkError) {}

  /// Sends one request, and returns when the final head has arrived.
  nonisolated(nonsending) func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    throw NetworkError(.unsupported, stage: .preparing, message: "Still to do: engine")
  }

  /// Ends all requests with `transportShutDown`.
  func shutdown() async {}
}
