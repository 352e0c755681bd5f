import CurlewCore

/// Lets one task after the other through, in the order of their arrival, without holding a thread.
final class Turn: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Guarded(State())

  /// Returns when it is the caller's turn, which `end` must give back.
  func begin() async {
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

  func end() {
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
