/// Inspects, changes, answers or repeats a request before the transport gets it.
///
/// Interceptors are called outermost first. One may not call `next` at all (and answer by itself), call it once, or
/// call it again with another request (a redirect, a credential); it must then have read or released the earlier
/// response. It is called from any isolation, by many tasks at once.
public protocol Interceptor: Sendable {
  /// The questions of `ExchangeHooks` that it asks; none by default.
  ///
  /// A hook that no interceptor of a chain asks is refused before anything is sent (`Loader.settings(answering:)` in
  /// CurlewRequests), so an interceptor that asks one has to name it here. One that wraps another passes its names on.
  var asks: HookNames { get }

  /// Handles one request.
  ///
  /// - Throws: `NetworkError`, `CancellationError`, or the app's own error.
  nonisolated(nonsending) func intercept(
    _ request: Request, in exchange: Exchange, next: Next
  ) async throws -> Response
}

extension Interceptor {
  /// Asks none.
  public var asks: HookNames { [] }
}

/// The rest of the chain: the following interceptors, then the transport.
public struct Next: Sendable {
  @usableFromInline let link: Link

  /// One place in a chain, created once for all requests.
  @usableFromInline enum Link: Sendable {
    indirect case interceptor(any Interceptor, Link)
    case last(Send)
  }

  @usableFromInline typealias Send = nonisolated(nonsending) @Sendable (Request, Exchange) async throws -> Response

  /// Creates a chain.
  ///
  /// - Parameters:
  ///   - interceptors: The interceptors, outermost first.
  ///   - last: Sends the request after all interceptors.
  public init(
    _ interceptors: [any Interceptor],
    last: nonisolated(nonsending) @escaping @Sendable (Request, Exchange) async throws -> Response
  ) {
    link = interceptors.reversed().reduce(.last(last)) { .interceptor($1, $0) }
  }

  @usableFromInline init(_ link: Link) { self.link = link }

  /// Passes the request to the rest of the chain.
  @inlinable public nonisolated(nonsending) func callAsFunction(
    _ request: Request, in exchange: Exchange
  ) async throws -> Response {
    switch link {
    case .interceptor(let interceptor, let rest):
      try await interceptor.intercept(request, in: exchange, next: Next(rest))
    case .last(let send): try await send(request, exchange)
    }
  }
}
