public import CurlewCore

/// Limits the number of requests per second.
///
/// A request that is too early waits for its turn, in order of arrival. The wait counts in no timeout of the transport; the
/// exchange's deadline and cancellation end it, and those behind it move up. All requests through one instance share
/// its rate, so create one instance for each server. Put it among the interceptors for each hop, so that redirects and
/// repeated requests count. Time is that of each exchange's clock. Safe from any isolation.
///
/// ```swift
/// chain.perHop.append(RequestRateLimit(perSecond: 10, burst: 20))
/// ```
public final class RequestRateLimit: Interceptor {
  private let longestWait: Duration
  private let state: Guarded<State>

  private struct State {
    var pace: RequestPace
    /// The answers that tell waiting requests that they are first.
    var turns: [RequestPace.Ticket: PendingAnswer<Bool>] = [:]
  }

  /// Creates a limit.
  ///
  /// - Parameters:
  ///   - perSecond: The average number of requests per second, 0.000001 to 1,000,000.
  ///   - burst: The most requests to send at once after a rest, 1 or more.
  ///   - longestWait: The longest wait; a request that would wait longer fails with `resourceExhausted`. 60 seconds by
  ///     default.
  public init(perSecond: Double, burst: Int = 1, longestWait: Duration = .seconds(60)) {
    self.longestWait = longestWait.limited
    state = Guarded(State(pace: RequestPace(perSecond: perSecond, burst: burst)))
  }

  /// Waits for the request's turn and sends it.
  ///
  /// - Throws: `NetworkError` of kind `resourceExhausted`; `CancellationError`; the errors of the rest of the chain.
  public nonisolated(nonsending) func intercept(
    _ request: Request, in exchange: Exchange, next: Next
  ) async throws -> Response {
    let clock = exchange.settings.clock
    let now = clock.now
    let turn = PendingAnswer<Bool>()
    let admission = state.withLock { state in
      let admission = state.pace.enter(at: now, longestWait: longestWait)
      if case .wait(let ticket) = admission { state.turns[ticket] = turn }
      return admission
    }
    switch admission {
    case .go: break
    case .refuse:
      throw NetworkError(
        .resourceExhausted, stage: .queued,
        message: "Too many requests wait for their turn.", advice: "Send fewer, or raise the rate or longestWait."
      ).with { $0.request = request }
    case .wait(let ticket): try await waitInQueue(ticket, turn, clock)
    }
    return try await next(request, in: exchange)
  }

  private nonisolated(nonsending) func waitInQueue(
    _ ticket: RequestPace.Ticket, _ turn: PendingAnswer<Bool>, _ clock: any NetworkClock
  ) async throws {
    callFirst()
    defer { leave(ticket) }
    guard await turn.wait(otherwise: false) else { throw CancellationError() }
    try await waitForPace(clock)
  }

  /// Waits until the pace allows the first waiting request, and records that it is sent.
  private nonisolated(nonsending) func waitForPace(_ clock: any NetworkClock) async throws {
    while true {
      let now = clock.now
      let moment = state.withLock { state in
        let moment = state.pace.moment(after: now)
        if moment <= now { state.pace.send(at: now) }
        return moment
      }
      if moment <= now { return }
      try await clock.sleep(until: moment)
    }
  }

  /// Removes a request from the queue, and tells the next one that it is the first.
  private func leave(_ ticket: RequestPace.Ticket) {
    state.withLock { state in
      state.pace.leave(ticket)
      state.turns[ticket] = nil
    }
    callFirst()
  }

  /// The number of waiting requests.
  var waitingCount: Int { state.withLock { $0.turns.count } }

  /// Tells the first waiting request that it is the first.
  private func callFirst() {
    let turn = state.withLock { state in state.pace.first.flatMap { state.turns[$0] } }
    turn?.give(true)
  }
}
