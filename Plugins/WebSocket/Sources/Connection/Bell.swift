import Synchronization

/// Wakes tasks that wait for a change of some state, which another lock protects.
///
/// Code that changes the state calls `ring` after the change and outside the lock of the state, so that no waiting task misses it.
final class Bell: Sendable {
  private struct State {
    var waiting: [UInt64: CheckedContinuation<Void, any Error>] = [:]
    var cancelled: Set<UInt64> = []
    var last: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Wakes all tasks that wait.
  func ring() {
    let waiting = state.withLock { state in
      guard !state.waiting.isEmpty else { return [UInt64: CheckedContinuation<Void, any Error>]() }
      defer { state.waiting = [:] }
      return state.waiting
    }
    for waiter in waiting.values { waiter.resume() }
  }

  /// Waits until the change is there; it is looked for at once, and after each ring.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  nonisolated(nonsending) func wait(until isThere: @Sendable () -> Bool) async throws {
    repeat { try await waitForRing(unless: isThere) } while !isThere()
  }

  private nonisolated(nonsending) func waitForRing(unless isThere: @Sendable () -> Bool) async throws {
    let id = state.withLock { state in
      state.last += 1
      return state.last
    }
    defer { state.withLock { _ = $0.cancelled.remove(id) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let outcome = state.withLock { state -> Result<Void, any Error>? in
          if state.cancelled.contains(id) { return .failure(CancellationError()) }
          if isThere() { return .success(()) }
          state.waiting[id] = continuation
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.cancelled.insert(id)
        return state.waiting.removeValue(forKey: id)
      }
      waiter?.resume(throwing: CancellationError())
    }
  }
}
