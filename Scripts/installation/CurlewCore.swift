// A transport, which hands each request to another one.
public import CurlewCore

/// Hands each request to another transport.
public struct PigeonTransport: Transport {
  private let other: any Transport

  /// Creates a transport in front of another one.
  public init(_ other: any Transport) { self.other = other }

  /// The capabilities of the other transport.
  public var capabilities: TransportCapabilities { other.capabilities }

  /// Sends a request with the other transport.
  public func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    try await other.send(request, in: exchange)
  }

  /// Shuts the other transport down.
  public func shutdown() async { await other.shutdown() }
}
