/// Looks at, changes, answers or repeats a request on its way to the transport.
///
/// Interceptors are called outermost first. One may call `next` not at all (it answers by itself), once, or again with
/// another request (a redirect, a credential); it must then have read or dropped the earlier response. Called from any
/// isolation, by many tasks at once.
public protocol Interceptor: Sendable {
  /// Handles one request.
  ///
  /// - Throws: `NetworkError`, `CancellationError`, or an error of the app's own.
  func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response
}

/// The rest of the chain: the interceptors that follow, then the transport.
public struct Next: Sendable {
  private let interceptors: [any Interceptor]
  private let index: Int
  private let last: @Sendable (Request, Exchange) async throws -> Response

  /// Makes a chain.
  ///
  /// - Parameters:
  ///   - interceptors: Outermost first.
  ///   - last: What carries the request in the end.
  public init(
    _ interceptors: [any Interceptor], last: @escaping @Sendable (Request, Exchange) async throws -> Response
  ) {
    self.init(interceptors, 0, last)
  }

  private init(
    _ interceptors: [any Interceptor], _ index: Int,
    _ last: @escaping @Sendable (Request, Exchange) async throws -> Response
  ) {
    self.interceptors = interceptors
    self.index = index
    self.last = last
  }

  /// Hands the request on.
  public func callAsFunction(_ request: Request, in exchange: Exchange) async throws -> Response {
    guard index < interceptors.count else { return try await last(request, exchange) }
    return try await interceptors[index].intercept(
      request, in: exchange, next: Next(interceptors, index + 1, last))
  }
}
