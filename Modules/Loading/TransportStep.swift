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
    // Caches on the way are told also where this client has none.
    var request = request.options.cachePolicy.map(request.withDirectives) ?? request
    request.joinCookies()
    exchange.emit(.sending(request))
    let response: Response
    do {
      response = try await transport.send(request, in: exchange)
    } catch let error as NetworkError where Self.isSafeToRepeat(request, after: error) {
      response = try await again(request, in: exchange, after: error)
    }
    if keepsCookies, response.head.headerFields.has(.setCookie), let cookies {
      await cookies.store(from: response, to: request, in: exchange)
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
    case .streamReset:
      return !error.maybeProcessed && !(error.requiresHTTP1 && request.options.version == .http2PriorKnowledge)
    default: return false
    }
  }

  /// The most sendings of a request that the server refuses each time.
  private static let mostSendings = 5

  /// Sends the request once more, on a new connection, and over HTTP/1.1 if the server requires that.
  ///
  /// A server that is restarted may refuse requests on new connections too, so a refused one is sent a few times more.
  private func again(
    _ request: Request, in exchange: Exchange, after lost: NetworkError
  ) async throws -> Response {
    var request = request
    var lost = lost
    var maybeProcessed = false
    var sendings = 1
    let fresh = exchange.derived(freshConnection: true)
    while true {
      if lost.requiresHTTP1, transport.capabilities.contains(.versionChoice) { request.options.version = .http1 }
      // The server may have processed an earlier sending, whatever happens to the next.
      maybeProcessed = maybeProcessed || lost.maybeProcessed
      exchange.emit(.resending(after: lost))
      fresh.emit(.sending(request))
      do {
        sendings += 1
        return try await transport.send(request, in: fresh)
      } catch let error as NetworkError {
        let isRefused = error.kind == .streamReset && Self.isSafeToRepeat(request, after: error)
        guard isRefused, sendings < Self.mostSendings else {
          throw maybeProcessed ? error.with { $0.maybeProcessed = true } : error
        }
        lost = error
      }
    }
  }
}

extension NetworkError {
  /// Whether the server reset the stream with HTTP_1_1_REQUIRED (RFC 9113 §7).
  fileprivate var requiresHTTP1: Bool { kind == .streamReset && details.streamErrorCode == 13 }

  /// Returns the error for a request that must not be sent and is not in the cache.
  static func notInCache(_ request: Request) -> NetworkError {
    NetworkError(
      .notInCache, stage: .preparing,
      message: "The cache has no usable response, and the request's cache policy forbids sending it."
    ).with { $0.request = request }
  }
}
