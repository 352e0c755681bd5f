#if AsyncHTTPClient
import CurlewCore
import Synchronization

/// Wakes one task when another side wants more.
final class Demand: Sendable {
  private struct State {
    var isThere = false
    var hasEnded = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// Waits for the next signal, or takes one that has come.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        let isThere = state.isThere || state.hasEnded
        state.isThere = false
        if !isThere { state.waiter = continuation }
        return isThere
      }
      if isThere { continuation.resume() }
    }
  }

  func signal() { wake { $0.isThere = $0.waiter == nil } }

  /// Ends every wait, now and later.
  func end() { wake { $0.hasEnded = true } }

  private func wake(_ change: (inout State) -> Void) {
    let waiter = state.withLock { state in
      change(&state)
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }
}
#endif
