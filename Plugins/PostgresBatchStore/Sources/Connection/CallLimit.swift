#if Postgres
import CurlewCore
import Synchronization

/// The time that one call may take, which ends early when its caller is cancelled.
///
/// Cancelling leaves a healthy server the time to answer, so that what it has done is known; a server that does not answer
/// holds nobody for longer than that.
final class CallLimit: Sendable {
  private enum Stage {
    /// The call waits for the thread or for a connection; nothing was sent.
    case waiting
    /// The call was sent, and its answer is due.
    case begun(until: ContinuousClock.Instant)
    /// The caller has given up before anything was sent.
    case givenUp
  }

  /// The time that a cancelled call still has.
  static let grace = Duration.seconds(1)

  private struct State {
    var stage = Stage.waiting
    var isCancelled = false
  }

  private let state = Mutex(State())
  private let duration: Duration
  private let clock: any NetworkClock

  init(_ duration: Duration, _ clock: any NetworkClock) {
    self.duration = duration
    self.clock = clock
  }

  /// Begins the call; returns false if its caller has given up.
  func begin() -> Bool {
    let now = clock.now
    return state.withLock { state in
      guard case .waiting = state.stage else { return false }
      state.stage = .begun(until: now.advanced(by: state.isCancelled ? Self.grace : duration))
      return true
    }
  }

  /// Leaves the call no more than the grace.
  ///
  /// - Returns: Whether the call has not begun, so that nobody watches its time yet.
  func cancel() -> Bool {
    let end = clock.now.advanced(by: Self.grace)
    return state.withLock { state in
      state.isCancelled = true
      guard case .begun(let until) = state.stage else { return true }
      state.stage = .begun(until: min(until, end))
      return false
    }
  }

  /// Gives a call up that has not begun; returns false if it has.
  func giveUp() -> Bool {
    state.withLock { state in
      guard case .waiting = state.stage else { return false }
      state.stage = .givenUp
      return true
    }
  }

  /// Whether the time of a begun call has passed.
  var isOver: Bool {
    let now = clock.now
    return state.withLock { state in
      guard case .begun(let until) = state.stage else { return false }
      return now >= until
    }
  }
}
#endif
