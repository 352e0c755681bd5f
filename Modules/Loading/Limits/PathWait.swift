import CurlewCore

/// Waits for a path, with a clock and a limit.
struct PathWait: Sendable {
  let monitor: any ReachabilityMonitoring
  let limit: Duration?

  /// Waits for a path on behalf of a request; returns false after the limit or the end of the monitor.
  ///
  /// The wait is part of the request's total timeout, which is shortened by it.
  ///
  /// - Throws: `NetworkError` of kind `timedOut`; `CancellationError`.
  func wait(
    for request: inout Request, _ clock: any NetworkClock, until isThere: @escaping @Sendable (NetworkPath) -> Bool
  ) async throws -> Bool {
    guard let total = request.options.timeouts.total?.limited else {
      return try await wait(clock, upTo: limit, until: isThere)
    }
    let start = clock.now
    let isHere = try await wait(clock, upTo: min(limit ?? total, total), until: isThere)
    let left = total - start.duration(to: clock.now)
    guard left > .zero else {
      throw NetworkError(
        .timedOut, stage: .queued, message: "The request waited for a network until its total timeout passed."
      ).with { [request] in $0.request = request }
    }
    request.options.timeouts.total = left
    return isHere
  }

  private func wait(
    _ clock: any NetworkClock, upTo limit: Duration?, until isThere: @escaping @Sendable (NetworkPath) -> Bool
  ) async throws -> Bool {
    let end = limit.map { clock.now.advanced(by: $0.limited) }
    return try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask { [monitor] in
        for await path in monitor.changes() where isThere(path) { return true }
        try Task.checkCancellation()
        return false
      }
      if let end {
        group.addTask {
          try await clock.sleep(until: end)
          return false
        }
      }
      defer { group.cancelAll() }
      return try await group.next() ?? false
    }
  }

  /// Returns whether a request leaves this machine.
  ///
  /// A request to a loopback address, a name of this machine or a Unix socket does not. A request through a proxy does,
  /// wherever the proxy is, because it continues from there.
  static func leavesMachine(_ request: Request, _ exchange: Exchange) -> Bool {
    guard request.options.unixSocketPath == nil, let origin = try? request.origin else { return false }
    if exchange.settings.proxy != nil { return true }
    if let override = request.options.addressOverrides.first(where: { $0.matches(origin) }) {
      return !isLoopback(override.address) && !isLocalName(override.address)
    }
    return origin.isIPAddress ? !isLoopback(origin.host) : !isLocalName(origin.host)
  }

  private static func isLoopback(_ host: String) -> Bool {
    host == "::1" || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 46 || (48...57).contains($0) }
  }

  private static func isLocalName(_ host: String) -> Bool { host == "localhost" || host.hasSuffix(".localhost") }
}
