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
