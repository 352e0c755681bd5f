/// Looks at, changes, answers or repeats a request on its way to the transport.
///
/// Interceptors are called outermost first. One may call `next` not at all (it answers by itself), once, or again with
/// another request (a redirect, a credential); it must then have read or dropped the earlier response. Called from any
/// isolation, by many tasks at once.
public protocol Interceptor: Sendable {
  /// Handles one request.
  ///
  /// - Throws: `NetworkError`, `CancellationError`, or an error of the app's own.
  nonisolated(nonsending) func intercept(
    _ request: Request, in exchange: Exchange, next: Next
  ) async throws -> Response
}

/// The rest of the chain: the interceptors that follow, then the transport.
public struct Next: Sendable {
  @usableFromInline let link: Link

  /// One place in a chain, made once for all requests.
  @usableFromInline enum Link: Sendable {
    indirect case interceptor(any Interceptor, Link)
    case last(Send)
  }

  @usableFromInline typealias Send = nonisolated(nonsending) @Sendable (Request, Exchange) async throws -> Response

  /// Makes a chain.
  ///
  /// - Parameters:
  ///   - interceptors: Outermost first.
  ///   - last: What carries the request in the end.
  public init(
    _ interceptors: [any Interceptor],
    last: nonisolated(nonsending) @escaping @Sendable (Request, Exchange) async throws -> Response
  ) {
    link = interceptors.reversed().reduce(.last(last)) { .interceptor($1, $0) }
  }

  @usableFromInline init(_ link: Link) { self.link = link }

  /// Hands the request on.
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
