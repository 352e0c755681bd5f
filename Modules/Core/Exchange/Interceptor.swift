/// Inspects, changes, answers or repeats a request before the transport gets it.
///
/// Interceptors are called outermost first. An interceptor may answer by itself without calling `next`, call it once, or call
/// it again with another request, for example after a redirect or with a credential. Before it calls `next` again, it must
/// have read or released the earlier response. It is called from any isolation, by many tasks at once.
public protocol Interceptor: Sendable {
  /// The hooks of `ExchangeHooks` that it calls; none by default.
  ///
  /// `Loader.settings(answering:)` in CurlewRequests refuses a hook that no interceptor of the chain calls, before anything is
  /// sent. An interceptor that calls a hook must therefore name it here; one that wraps another interceptor includes the
  /// other's names.
  var asks: HookNames { get }

  /// Handles one request.
  ///
  /// - Throws: `NetworkError`, `CancellationError`, or the app's own error.
  nonisolated(nonsending) func intercept(
    _ request: Request, in exchange: Exchange, next: Next
  ) async throws -> Response
}

extension Interceptor {
  /// Returns no hooks.
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
