import CurlewCore
import HTTPTypes

/// One sending: what stands between the innermost interceptor and the transport.
final class Sending: Sendable {
  private let transport: any Transport
  private let cookies: Cookies?
  private let keepsCookies: Bool

  init(_ transport: any Transport, _ cookies: Cookies?) {
    self.transport = transport
    self.cookies = cookies
    keepsCookies = cookies != nil
  }

  /// Sends, and stores what cookies the response sets.
  nonisolated(nonsending) func run(_ request: Request, in exchange: Exchange) async throws -> Response {
    let missing = TransportCapabilities.required(by: request, in: exchange).subtracting(transport.capabilities)
    guard missing.isEmpty else { throw NetworkError.unsupported(missing, request: request) }
    // A cache has answered by now, where there is one.
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

  /// Whether the same bytes can go out once more without being acted on twice (RFC 9110 §9.2.2, RFC 9113 §8.7).
  static func isSafeToRepeat(_ request: Request, after error: NetworkError) -> Bool {
    guard error.details.response == nil, request.body.isReplayable else { return false }
    switch error.kind {
    case .connectionLost: return !error.maybeProcessed || request.isIdempotent
    case .streamReset: return !error.maybeProcessed
    default: return false
    }
  }

  /// Sends once more, on a connection that nobody used before.
  private func again(
    _ request: Request, in exchange: Exchange, after lost: NetworkError
  ) async throws -> Response {
    exchange.emit(.resending(after: lost))
    let fresh = exchange.derived(freshConnection: true)
    fresh.emit(.sending(request))
    do {
      return try await transport.send(request, in: fresh)
    } catch let error as NetworkError where lost.maybeProcessed {
      // The first sending may have been acted on, whatever became of the second.
      throw error.with { $0.maybeProcessed = true }
    }
  }
}

extension NetworkError {
  /// The refusal of what would have to be sent and may not be.
  static func notInCache(_ request: Request) -> NetworkError {
    NetworkError(
      .notInCache, stage: .preparing, message: "Nothing usable is stored for the request, and it may not be sent."
    ).with { $0.request = request }
  }
}
