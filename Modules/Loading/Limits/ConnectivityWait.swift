public import CurlewCore

/// Waits for a network before sending, and after a failure that the lack of one explains.
///
/// A request is held while the monitor says that there is no route, and sent as soon as there may be one. A request that
/// never reached its server is held and sent again when the monitor says so at that moment. Past `limit` it is sent
/// anyway: reachability is a hint and refuses nothing. Requests to this machine, by name or over a Unix socket, never
/// wait. The exchange's deadline and cancellation end the waiting. Belongs among the interceptors for each hop.
///
/// ```swift
/// chain.perHop.append(ConnectivityWait(monitor, limit: .seconds(60)))
/// ```
public struct ConnectivityWait: Interceptor {
  private let monitor: any ReachabilityMonitoring
  private let limit: Duration?
  private let whenWaiting: (@Sendable (Request) -> Void)?

  /// Makes an interceptor.
  ///
  /// - Parameters:
  ///   - limit: The longest wait, on the exchange's clock; nil is for ever.
  ///   - whenWaiting: Told when a request begins to wait, from its own task.
  public init(
    _ monitor: any ReachabilityMonitoring, limit: Duration? = nil,
    whenWaiting: (@Sendable (Request) -> Void)? = nil
  ) {
    self.monitor = monitor
    self.limit = limit
    self.whenWaiting = whenWaiting
  }

  /// Sends when there may be a network.
  ///
  /// - Throws: `CancellationError`; what the rest of the chain throws.
  public func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    guard Self.needsNetwork(request) else { return try await next(request, in: exchange) }
    var patience = ConnectivityPatience()
    var request = request
    if patience.mustWait(monitor.status) { try await wait(request, exchange, &patience) }
    while true {
      do {
        return try await next(request, in: exchange)
      } catch let error as NetworkError {
        guard patience.mayWait(after: error, monitor.status) else { throw error }
        request = try await repeated(request, exchange, after: error)
        try await wait(request, exchange, &patience)
      }
    }
  }

  private func wait(_ request: Request, _ exchange: Exchange, _ patience: inout ConnectivityPatience) async throws {
    whenWaiting?(request)
    let clock = exchange.settings.clock
    let end = limit.map { clock.now.advanced(by: TransferLimits.sensible($0)) }
    let isThere = try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask { [monitor] in
        for await status in monitor.changes() where status.isReachable != false { return true }
        try Task.checkCancellation()
        // Nobody monitors any more.
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
    patience.waited(isThere)
  }

  /// The request with a body that can be sent.
  private func repeated(_ request: Request, _ exchange: Exchange, after error: NetworkError) async throws -> Request {
    guard !request.body.isReplayable else { return request }
    guard let body = try await exchange.settings.hooks.newBody?(request) else { throw error }
    var request = request
    request.body = body
    return request
  }

  private static func needsNetwork(_ request: Request) -> Bool {
    guard request.options.unixSocketPath == nil, let origin = try? request.origin else { return false }
    let host = origin.host
    guard !origin.isIPAddress else { return !(host.hasPrefix("127.") || host == "::1") }
    return !(host == "localhost" || host.hasSuffix(".localhost"))
  }
}

/// How often one request may wait; pure.
struct ConnectivityPatience: Sendable, Hashable {
  private var isExhausted = false

  /// Whether to wait before the first sending.
  func mustWait(_ status: ReachabilityStatus) -> Bool { status.isReachable == false }

  /// Whether to wait and send again after a failure.
  func mayWait(after error: NetworkError, _ status: ReachabilityStatus) -> Bool {
    guard !isExhausted, !error.maybeProcessed, status.isReachable == false else { return false }
    switch error.kind {
    case .nameLookupFailed, .connectionFailed, .connectTimedOut, .networkNotAllowed: return true
    default: return false
    }
  }

  /// A wait is over.
  ///
  /// - Parameter isThere: Whether a network came; else the time is up, and no other wait follows.
  mutating func waited(_ isThere: Bool) { isExhausted = !isThere }
}
