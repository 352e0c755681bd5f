public import CurlewCore
public import FoundationEssentials

/// A clock that stands still until a test advances it.
///
/// Sleepers wake in the order of their deadlines. Safe from any isolation.
///
/// ```swift
/// let clock = ManualClock()
/// let waiting = Task { try await clock.sleep(until: clock.now + .seconds(30)) }
/// try await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(30))
/// ```
public final class ManualClock: NetworkClock {
  private struct Sleeper {
    let id: UInt64
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now: ContinuousClock.Instant
    var date: Date
    var sleepers: [Sleeper] = []
    var cancelled: Set<UInt64> = []
    var last: UInt64 = 0

    /// Advances the time and removes the sleepers that are due, earliest first.
    mutating func advance(to instant: ContinuousClock.Instant) -> [CheckedContinuation<Void, any Error>] {
      let step = max(.zero, now.duration(to: instant))
      now = now.advanced(by: step)
      date += step.inSeconds
      let due = sleepers.filter { $0.deadline <= now }.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }
      sleepers.removeAll { $0.deadline <= now }
      return due.map(\.continuation)
    }
  }

  private let state: Guarded<State>
  private let count = Watched(0)

  /// Creates a clock.
  ///
  /// - Parameter date: The initial time of the wall clock.
  public init(date: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
    state = Guarded(State(now: .now, date: date))
  }

  /// The current time.
  public var now: ContinuousClock.Instant { state.withLock { $0.now } }

  /// The wall clock's time, which advances with `now`.
  public var date: Date { state.withLock { $0.date } }

  /// The number of sleeping tasks.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// The time until the first sleeper is due; nil when none sleeps.
  public var untilNextSleeper: Duration? {
    state.withLock { state in state.sleepers.map(\.deadline).min().map { state.now.duration(to: $0) } }
  }

  /// Advances the time and wakes the sleepers that are due, earliest first.
  ///
  /// Zero and negative steps do nothing.
  public func advance(by step: Duration) {
    wake(state.withLock { $0.advance(to: $0.now.advanced(by: step)) })
  }

  /// Advances the time to the first deadline and wakes the sleepers that are due.
  ///
  /// - Returns: Whether there was a sleeper.
  @discardableResult
  public func advanceToNextSleeper() -> Bool {
    let due = state.withLock { state in
      state.sleepers.map(\.deadline).min().map { state.advance(to: $0) } ?? []
    }
    wake(due)
    return !due.isEmpty
  }

  /// Sets the wall clock forward or back.
  ///
  /// `now` does not change.
  public func setDate(_ date: Date) { state.withLock { $0.date = date } }

  /// Waits until at least `sleepers` tasks sleep.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  public func waitForSleepers(_ sleepers: Int = 1) async throws {
    try await count.wait { $0 >= sleepers }
  }

  /// Sleeps until a test has advanced the time far enough.
  public func sleep(until deadline: ContinuousClock.Instant) async throws {
    try Task.checkCancellation()
    let id = state.withLock { state in
      state.last += 1
      return state.last
    }
    defer { state.withLock { _ = $0.cancelled.remove(id) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let outcome: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.contains(id) { return .failure(CancellationError()) }
          if deadline <= state.now { return .success(()) }
          state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
          return nil
        }
        if let outcome { continuation.resume(with: outcome) } else { count.update { $0 += 1 } }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        state.cancelled.insert(id)
        guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else { return nil }
        return state.sleepers.remove(at: index)
      }
      if let sleeper {
        count.update { $0 -= 1 }
        sleeper.continuation.resume(throwing: CancellationError())
      }
    }
  }

  private func wake(_ sleepers: [CheckedContinuation<Void, any Error>]) {
    for sleeper in sleepers {
      count.update { $0 -= 1 }
      sleeper.resume()
    }
  }
}

extension Duration {
  /// The duration in seconds, with a fraction.
  var inSeconds: Double { self / .seconds(1) }
}
