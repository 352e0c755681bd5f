import CurlewCore

/// Runs tasks in the background, for which no request waits.
package final class BackgroundWork: Sendable {
  private struct State {
    var tasks: [UInt64: Task<Void, Never>] = [:]
    var running = 0
    var last: UInt64 = 0
    /// Tasks that ended before they were registered.
    var early: Set<UInt64> = []
  }

  private let state = Guarded(State())

  /// Starts a task unless too many are running.
  func start(limit: Int, _ work: @escaping @Sendable () async -> Void) {
    let id = state.withLock { state -> UInt64? in
      guard state.running < limit else { return nil }
      state.running += 1
      state.last += 1
      return state.last
    }
    guard let id else { return }
    let task = Task {
      await work()
      state.withLock { state in
        state.running -= 1
        if state.tasks.removeValue(forKey: id) == nil { state.early.insert(id) }
      }
    }
    state.withLock { state in
      if state.early.remove(id) == nil { state.tasks[id] = task }
    }
  }

  func wait() async {
    while let task = state.withLock({ $0.tasks.first?.value }) {
      await task.value
    }
  }
}
