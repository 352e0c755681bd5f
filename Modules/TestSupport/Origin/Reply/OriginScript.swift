import CurlewCore

/// Gives replies in the order of arrival, whatever the requests are.
package final class OriginScript: Sendable {
  private let replies: [OriginReply]
  private let next = Guarded(0)

  /// Creates a script, whose last reply is repeated.
  ///
  /// Without any reply, the answer is 404.
  package init(_ replies: [OriginReply]) {
    self.replies = replies
  }

  /// Returns the next reply.
  package func reply() -> OriginReply {
    let index = next.withLock { next in
      defer { next = min(next + 1, max(0, replies.count - 1)) }
      return next
    }
    return index < replies.count ? replies[index] : .status(404)
  }

  /// The script as an origin's handler.
  package var handler: ScriptedOrigin.Handler { { _ in self.reply() } }
}

extension ScriptedOrigin {
  /// Starts an origin that gives these replies in order, then repeats the last one.
  ///
  /// ```swift
  /// let origin = try await ScriptedOrigin.start(script: [.status(503), .reset(after: 5, of: 10), .ok("at last")])
  /// ```
  /// - Throws: `OriginError` when no socket, thread or port is available.
  public static func start(
    _ options: OriginOptions = OriginOptions(), script: [OriginReply]
  ) async throws(OriginError)
    -> ScriptedOrigin
  {
    try await start(options, handler: OriginScript(script).handler)
  }

  /// Starts an origin that answers by path.
  ///
  /// - Throws: `OriginError` when no socket, thread or port is available.
  public static func start(
    _ options: OriginOptions = OriginOptions(), routes: OriginRouter
  ) async throws(OriginError)
    -> ScriptedOrigin
  {
    try await start(options, handler: routes.handler)
  }
}

/// Answers requests by method and path.
///
/// ```swift
/// var router = OriginRouter()
/// router.on("/hello") { _ in .ok("hello") }
/// router.on("POST", "/items") { request in .status(201, "\(await request.body().count)") }
/// router.on("/files/*") { request in .ok(request.path) }
/// let origin = try await ScriptedOrigin.start(routes: router)
/// ```
/// The first matching route answers. If no path matches, the answer is 404; if only another method matches, it is 405. A route
/// for GET also answers HEAD.
public struct OriginRouter: Sendable {
  private struct Route {
    var method: String?
    var path: String
    var handler: ScriptedOrigin.Handler

    func fits(path other: String) -> Bool {
      path.hasSuffix("*") ? other.hasPrefix(path.dropLast()) : other == path
    }

    func fits(method other: String) -> Bool {
      method == nil || method == other || (method == "GET" && other == "HEAD")
    }
  }
  private var routes: [Route] = []

  /// Creates a router without routes.
  public init() {}

  /// Adds a route for every method; see `on(_:_:_:)`.
  public mutating func on(_ path: String, _ handler: @escaping ScriptedOrigin.Handler) {
    routes.append(Route(method: nil, path: path, handler: handler))
  }

  /// Adds a route.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path without query, not decoded; with a final `*`, all paths with this prefix.
  ///   - handler: Returns the reply.
  public mutating func on(_ method: String, _ path: String, _ handler: @escaping ScriptedOrigin.Handler) {
    routes.append(Route(method: method, path: path, handler: handler))
  }

  /// The router as an origin's handler.
  package var handler: ScriptedOrigin.Handler {
    { [routes] request in
      let (method, path) = (request.method, request.path)
      let fitting = routes.filter { $0.fits(path: path) }
      guard let route = fitting.first(where: { $0.fits(method: method) }) else {
        guard !fitting.isEmpty else { return .status(404) }
        return .status(405, ["Allow": fitting.compactMap(\.method).joined(separator: ", ")])
      }
      return await route.handler(request)
    }
  }
}
