import CurlewCore
import HTTPTypes

/// Sends a request: the last step of the chain, before the transport.
final class TransportStep: Sendable {
  private let transport: any Transport
  private let cookies: Cookies?
  private let keepsCookies: Bool

  init(_ transport: any Transport, _ cookies: Cookies?) {
    self.transport = transport
    self.cookies = cookies
    keepsCookies = cookies != nil
  }

  /// Sends the request and stores the cookies of the response.
  nonisolated(nonsending) func run(_ request: Request, in exchange: Exchange) async throws -> Response {
    try RequestCheck.requireCapabilities(transport.capabilities, for: request, in: exchange)
    // A cache in the chain would already have answered.
    if request.options.cachePolicy == .returnStoredDontLoad { throw NetworkError.notInCache(request) }
    exchange.emit(.sending(request))
    let response: Response
    do {
      response = try await transport.send(request, in: exchange)
    } catch let error as NetworkError where Self.isSafeToRepeat(request, after: error) {
      response = try await again(request, in: exchange, after: error)
    }
    if keepsCookies, response.head.headerFields.has(.setCookie), let cookies {
      await cookies.store(from: response.head, to: request, in: exchange)
    }
    return response
  }

  /// Returns whether repeating is safe (RFC 9110 §9.2.2, RFC 9113 §8.7).
  ///
  /// The same bytes can be sent again, and the server cannot process them twice.
  static func isSafeToRepeat(_ request: Request, after error: NetworkError) -> Bool {
    guard error.details.response == nil, request.body.isReplayable else { return false }
    switch error.kind {
    case .connectionLost: return !error.maybeProcessed || request.isIdempotent
    case .streamReset: return !error.maybeProcessed
    default: return false
    }
  }

  /// Sends the request once more, on a new connection.
  private func again(
    _ request: Request, in exchange: Exchange, after lost: NetworkError
  ) async throws -> Response {
    exchange.emit(.resending(after: lost))
    let fresh = exchange.derived(freshConnection: true)
    fresh.emit(.sending(request))
    do {
      return try await transport.send(request, in: fresh)
    } catch let error as NetworkError where lost.maybeProcessed {
      // The server may have processed the first request, whatever happened to the second.
      throw error.with { $0.maybeProcessed = true }
    }
  }
}

extension NetworkError {
  /// Returns the error for a request that must not be sent and is not in the cache.
  static func notInCache(_ request: Request) -> NetworkError {
    NetworkError(
      .notInCache, stage: .preparing,
      message: "The cache has no usable response, and the request's cache policy forbids sending it."
    ).with { $0.request = request }
  }
}
