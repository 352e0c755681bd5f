public import CurlewCore

/// Waits for a network before sending, and after failures without a network.
///
/// A request is held while the monitor reports no route, and sent as soon as there may be one. A request that never
/// reached its server is held and sent again if the monitor reports no route at that moment. After `limit` it is sent
/// anyway: reachability is only a hint. Requests to this machine, by name or over a Unix socket, never wait. The wait is
/// part of the request's total timeout; the exchange's deadline and cancellation end it too. Put it among the interceptors
/// for each hop, before `NetworkGate`.
///
/// ```swift
/// chain.perHop.append(ConnectivityWait(monitor, limit: .seconds(60)))
/// ```
public struct ConnectivityWait: Interceptor {
  private let monitor: any ReachabilityMonitoring
  private let limit: Duration?
  private let whenWaiting: (@Sendable (Request) -> Void)?

  /// Creates an interceptor.
  ///
  /// - Parameters:
  ///   - limit: The longest wait, on the exchange's clock; nil means no limit.
  ///   - whenWaiting: Called on the request's task when it begins to wait.
  public init(
    _ monitor: any ReachabilityMonitoring, limit: Duration? = nil,
    whenWaiting: (@Sendable (Request) -> Void)? = nil
  ) {
    self.monitor = monitor
    self.limit = limit
    self.whenWaiting = whenWaiting
  }

  /// The hook that is asked for a body to send again.
  public var asks: HookNames { .newBody }

  /// Sends the request when there may be a network.
  ///
  /// - Throws: `NetworkError` of kind `timedOut` when the total timeout passes during the wait; `CancellationError`; the errors
  ///   of the rest of the chain.
  public func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    guard PathWait.leavesMachine(request, exchange) else { return try await next(request, in: exchange) }
    var patience = ConnectivityPatience()
    var request = request
    if patience.mustWait(monitor.path) { try await wait(&request, exchange, &patience) }
    while true {
      do {
        return try await next(request, in: exchange)
      } catch let error as NetworkError {
        guard patience.mayWait(after: error, monitor.path) else { throw error }
        request = try await repeated(request, exchange, after: error)
        try await wait(&request, exchange, &patience)
      }
    }
  }

  private func wait(
    _ request: inout Request, _ exchange: Exchange, _ patience: inout ConnectivityPatience
  ) async throws {
    whenWaiting?(request)
    let wait = PathWait(monitor: monitor, limit: limit)
    patience.waited(try await wait.wait(for: &request, exchange.settings.clock) { $0.status.isReachable != false })
  }

  /// Returns the request with a body that can be sent again.
  private func repeated(_ request: Request, _ exchange: Exchange, after error: NetworkError) async throws -> Request {
    guard !request.body.isReplayable else { return request }
    guard let body = try await exchange.settings.hooks.newBody?(request) else { throw error }
    var request = request
    request.body = body
    return request
  }
}

/// How often one request may wait, without I/O.
struct ConnectivityPatience: Sendable, Hashable {
  private var isExhausted = false

  /// Returns whether to wait before sending for the first time.
  func mustWait(_ path: NetworkPath) -> Bool { path.status.isReachable == false }

  /// Returns whether to wait and send again after a failure.
  func mayWait(after error: NetworkError, _ path: NetworkPath) -> Bool {
    guard !isExhausted, !error.maybeProcessed, path.status.isReachable == false else { return false }
    switch error.kind {
    case .nameLookupFailed, .connectionFailed, .connectTimedOut, .networkNotAllowed: return true
    default: return false
    }
  }

  /// Records the end of a wait.
  ///
  /// - Parameter isThere: Whether a network became available. Otherwise the limit passed, and the request waits no more.
  mutating func waited(_ isThere: Bool) { isExhausted = !isThere }
}
