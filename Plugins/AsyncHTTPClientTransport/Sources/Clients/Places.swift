#if AsyncHTTPClient
import CurlewCore
import Synchronization

/// Places for simultaneous requests, given by priority and then in order of arrival.
final class Places: Sendable {
  private struct Waiting {
    let id: UInt64
    let priority: Int8
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var free: Int
    /// The next one is the last.
    var waiting: [Waiting] = []
    var lastID: UInt64 = 0
    var cancelled: Set<UInt64> = []
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(free: count)) }

  /// Waits for a place, which the caller gives back with `leave`.
  ///
  /// - Throws: `CancellationError` when the task is cancelled; then there is no place.
  func enter(_ priority: Int8) async throws {
    let id = state.withLock { state -> UInt64? in
      guard state.free == 0 else {
        state.free -= 1
        return nil
      }
      state.lastID += 1
      return state.lastID
    }
    guard let id else { return }
    defer { _ = state.withLock { $0.cancelled.remove(id) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome = state.withLock { state -> Result<Void, any Error>? in
          if state.cancelled.contains(id) { return .failure(CancellationError()) }
          // A place may have become free meanwhile.
          if state.free > 0 {
            state.free -= 1
            return .success(())
          }
          let index = state.waiting.firstIndex { $0.priority >= priority } ?? state.waiting.endIndex
          state.waiting.insert(Waiting(id: id, priority: priority, continuation: continuation), at: index)
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let waiting = state.withLock { state -> Waiting? in
        state.cancelled.insert(id)
        guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return nil }
        return state.waiting.remove(at: index)
      }
      waiting?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Gives a place back.
  func leave() {
    let next = state.withLock { state -> Waiting? in
      if let next = state.waiting.popLast() { return next }
      state.free += 1
      return nil
    }
    next?.continuation.resume()
  }
}
#endif
