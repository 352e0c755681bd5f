import CurlewCore
import CurlewLoading

/// Sets for each hop the proxy that the environment names for its URL.
struct EnvironmentProxy: Interceptor {
  let environment: [String: String]

  func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    let proxy = try ProxyEnvironment(environment).proxy(for: request.url)
    return try await next(request, in: exchange.derived { $0.proxy = proxy })
  }
}
