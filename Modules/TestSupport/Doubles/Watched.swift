import CurlewCore

/// State that tasks can wait for.
package final class Watched<State: Sendable>: Sendable {
  private struct Waiter {
    let isMet: @Sendable (State) -> Bool
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Inner {
    var state: State
    var waiters: [UInt64: Waiter] = [:]
    var cancelled: Set<UInt64> = []
    var last: UInt64 = 0
  }

  private let inner: Guarded<Inner>

  package init(_ state: State) { inner = Guarded(Inner(state: state)) }

  /// The current state.
  package var current: State { inner.withLock { $0.state } }

  /// Changes the state, and wakes the tasks whose condition is met, in order.
  @discardableResult
  package func update<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
    let (result, met) = inner.withLock { inner in
      let result = change(&inner.state)
      let state = inner.state
      let met = inner.waiters.filter { $0.value.isMet(state) }.sorted { $0.key < $1.key }
      for waiter in met { inner.waiters[waiter.key] = nil }
      return (result, met.map(\.value.continuation))
    }
    for continuation in met { continuation.resume() }
    return result
  }

  /// Waits until a condition is met; the condition is evaluated under the lock.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  package func wait(until isMet: @escaping @Sendable (State) -> Bool) async throws {
    let id = inner.withLock { inner in
      inner.last += 1
      return inner.last
    }
    defer { inner.withLock { _ = $0.cancelled.remove(id) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let outcome: Result<Void, any Error>? = inner.withLock { inner in
          if inner.cancelled.contains(id) { return .failure(CancellationError()) }
          if isMet(inner.state) { return .success(()) }
          inner.waiters[id] = Waiter(isMet: isMet, continuation: continuation)
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let waiter = inner.withLock { inner in
        inner.cancelled.insert(id)
        return inner.waiters.removeValue(forKey: id)
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }
}
