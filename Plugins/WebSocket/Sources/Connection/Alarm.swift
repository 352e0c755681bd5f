import CurlewCore
import Synchronization

/// Calls a closure at a time, unless it is stopped before.
final class Alarm: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var hasRung = false
    var isStopped = false
  }

  private let state = Mutex(State())

  init(_ clock: any NetworkClock, at time: ContinuousClock.Instant, _ ring: @escaping @Sendable () -> Void) {
    let task = Task { [weak self] in
      guard (try? await clock.sleep(until: time)) != nil, self?.begins() == true else { return }
      ring()
    }
    state.withLock { state in
      if state.isStopped { task.cancel() } else { state.task = task }
    }
  }

  /// Whether it has called its closure.
  var hasRung: Bool { state.withLock { $0.hasRung } }

  private func begins() -> Bool {
    state.withLock { state in
      guard !state.isStopped else { return false }
      state.hasRung = true
      return true
    }
  }

  /// Prevents the call, if it has not begun.
  func stop() {
    let task = state.withLock { state in
      state.isStopped = true
      defer { state.task = nil }
      return state.task
    }
    task?.cancel()
  }

  deinit { state.withLock { $0.task }?.cancel() }
}
