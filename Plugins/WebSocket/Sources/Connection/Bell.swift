import Synchronization

/// Wakes tasks that wait for a change of some state, which another lock protects.
///
/// Code that changes the state calls `ring` after the change and outside the lock of the state, so that no waiting task misses it.
final class Bell: Sendable {
  private struct Waiter {
    var id: UInt64
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var waiting: [Waiter] = []
    var cancelled: Set<UInt64> = []
    var last: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Wakes all tasks that wait.
  func ring() {
    let waiting = state.withLock { state -> [Waiter] in
      guard !state.waiting.isEmpty else { return [] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.continuation.resume() }
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
    defer { state.withLock { if !$0.cancelled.isEmpty { $0.cancelled.remove(id) } } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let outcome = state.withLock { state -> Result<Void, any Error>? in
          if !state.cancelled.isEmpty, state.cancelled.contains(id) { return .failure(CancellationError()) }
          if isThere() { return .success(()) }
          state.waiting.append(Waiter(id: id, continuation: continuation))
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.cancelled.insert(id)
        guard let place = state.waiting.firstIndex(where: { $0.id == id }) else { return nil as Waiter? }
        return state.waiting.remove(at: place)
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }
}
