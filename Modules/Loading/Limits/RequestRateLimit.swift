public import CurlewCore

/// Limits the number of requests per second.
///
/// A request that is too early waits for its turn, in order of arrival. The wait counts in no timeout of the transport; the
/// exchange's deadline and cancellation end it, and the next request takes the turn. All requests through one instance share
/// its rate, so create one instance for each server. Put it among the interceptors for each hop, so that redirects and
/// repeated requests count. Time is that of each exchange's clock. Safe from any isolation.
///
/// ```swift
/// chain.perHop.append(RequestRateLimit(perSecond: 10, burst: 20))
/// ```
public final class RequestRateLimit: Interceptor {
  private let longestWait: Duration
  private let pace: Guarded<RequestPace>

  /// Creates a limit.
  ///
  /// - Parameters:
  ///   - perSecond: The average number of requests per second, 0.000001 to 1,000,000.
  ///   - burst: The most requests to send at once after a rest, 1 or more.
  ///   - longestWait: The longest wait; a request that would wait longer fails with `resourceExhausted`. 60 seconds by
  ///     default.
  public init(perSecond: Double, burst: Int = 1, longestWait: Duration = .seconds(60)) {
    self.longestWait = TransferLimits.sensible(longestWait)
    pace = Guarded(RequestPace(perSecond: perSecond, burst: burst))
  }

  /// Waits for the request's turn and sends it.
  ///
  /// - Throws: `NetworkError` of kind `resourceExhausted`; `CancellationError`; the errors of the rest of the chain.
  public nonisolated(nonsending) func intercept(
    _ request: Request, in exchange: Exchange, next: Next
  ) async throws -> Response {
    let clock = exchange.settings.clock
    let now = clock.now
    let turn = pace.withLock { pace in
      pace.wait(at: now) > longestWait ? nil : pace.take(at: now)
    }
    guard let turn else {
      throw NetworkError(
        .resourceExhausted, stage: .queued,
        message: "Too many requests wait for their turn; send fewer, or raise the rate or longestWait."
      ).with { $0.request = request }
    }
    if turn > now {
      do {
        try await clock.sleep(until: turn)
      } catch {
        pace.withLock { $0.giveBack(turn) }
        throw error
      }
    }
    return try await next(request, in: exchange)
  }
}
