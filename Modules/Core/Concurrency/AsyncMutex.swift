/// A lock for tasks, which suspends them instead of blocking a thread.
///
/// Tasks get the lock in the order in which they asked for it.
package final class AsyncMutex: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Guarded(State())

  package init() {}

  /// Waits for the lock; the caller must call `unlock` afterwards.
  package func lock() async {
    await withCheckedContinuation { continuation in
      let isFirst = state.withLock { state in
        guard state.isTaken else {
          state.isTaken = true
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFirst { continuation.resume() }
    }
  }

  /// Gives the lock to the next task that waits.
  package func unlock() {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
