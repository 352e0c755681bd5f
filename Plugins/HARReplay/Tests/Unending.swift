import CurlewCore

/// Passes requests on, and is not shut down, so that another transport can use what it wraps.
struct Unending: Transport {
  let wrapped: any Transport

  init(_ wrapped: any Transport) { self.wrapped = wrapped }

  var capabilities: TransportCapabilities { wrapped.capabilities.subtracting(.duplex) }

  func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    try await wrapped.send(request, in: exchange)
  }

  func shutdown() async {}
}
