public import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Limits the number of simultaneous requests to one origin.
///
/// A request waits for a place before it is sent, in order of priority and arrival. It gives the place back when its body has
/// ended, failed or was released. The wait counts in no timeout of the transport; the exchange's deadline and cancellation end
/// it. Put it among the interceptors for each hop, so that the hop's own origin counts. Code that holds one response unread
/// while it sends another request to the same origin can wait for itself forever.
///
/// ```swift
/// chain.perHop.append(ConcurrencyLimit(perOrigin: 4))
/// ```
public final class ConcurrencyLimit: Interceptor {
  private struct State {
    var queues: [Origin: ConcurrencyQueue] = [:]
    var turns: [UInt64: PendingAnswer<Bool>] = [:]
    var last: UInt64 = 0
  }

  private let limit: Int
  private let waitingLimit: Int
  private let state = Guarded(State())

  /// Creates a limit.
  ///
  /// - Parameters:
  ///   - perOrigin: The most simultaneous requests to one origin, 1 or more.
  ///   - waitingLimit: The most waiting requests for one origin; another one fails with `resourceExhausted`.
  public init(perOrigin: Int, waitingLimit: Int = 10_000) {
    limit = perOrigin
    self.waitingLimit = waitingLimit
  }

  /// Returns the number of running and of waiting requests for an origin.
  public func count(for origin: Origin) -> (active: Int, waiting: Int) {
    state.withLock { state in
      (state.queues[origin]?.active ?? 0, state.queues[origin]?.waitingCount ?? 0)
    }
  }

  /// Waits for a place, sends the request, and gives the place back at the end.
  ///
  /// - Throws: `NetworkError` of kind `resourceExhausted`; `CancellationError`; the errors of the rest of the chain.
  public func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    // The transport rejects a URL without an origin.
    guard let origin = try? request.origin else { return try await next(request, in: exchange) }
    try await enter(origin, request.options.priority ?? .normal)
    let place = Place { [weak self] in self?.leave(origin) }
    do {
      var response = try await next(request, in: exchange)
      response.body = response.body.tapped(by: place)
      return response
    } catch {
      place.giveBack()
      throw error
    }
  }

  private func enter(_ origin: Origin, _ priority: RequestPriority) async throws {
    let turn = PendingAnswer<Bool>()
    let (id, admission) = state.withLock { state in
      state.last += 1
      var queue = state.queues[origin] ?? ConcurrencyQueue(limit: limit, waitingLimit: waitingLimit)
      let admission = queue.enter(state.last, priority)
      state.queues[origin] = queue
      if admission == .wait { state.turns[state.last] = turn }
      return (state.last, admission)
    }
    switch admission {
    case .go: return
    case .refuse:
      throw NetworkError(
        .resourceExhausted, stage: .queued,
        message: "\(waitingLimit) requests wait for \(origin) already.", advice: "Send fewer or raise the limit.")
    case .wait:
      if await turn.wait(otherwise: false) { return }
      let waited = state.withLock { state in
        state.turns[id] = nil
        return state.queues[origin]?.withdraw(id) ?? true
      }
      // The place was assigned at the same moment; give it to another request.
      if !waited { leave(origin) }
      throw CancellationError()
    }
  }

  private func leave(_ origin: Origin) {
    let next = state.withLock { state -> PendingAnswer<Bool>? in
      guard var queue = state.queues[origin] else { return nil }
      let id = queue.leave()
      state.queues[origin] = queue.isIdle ? nil : queue
      return id.flatMap { state.turns.removeValue(forKey: $0) }
    }
    // If the next request was cancelled at this moment, it notices and passes the place on.
    next?.give(true)
  }
}

/// A place, which is given back once.
///
/// That happens at the end of the body that it observes, at the latest with its last reference.
private final class Place: BodyTap {
  private let action: Guarded<(@Sendable () -> Void)?>

  init(_ action: @escaping @Sendable () -> Void) { self.action = Guarded(action) }

  deinit { giveBack() }

  func giveBack() {
    let action = action.withLock { action in
      defer { action = nil }
      return action
    }
    action?()
  }

  func ended(by error: (any Error)?) async { giveBack() }

  func cancelled() { giveBack() }

  func rejected() async { giveBack() }
}
