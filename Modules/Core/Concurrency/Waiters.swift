/// The tasks that wait for a change of some state, each of which can be cancelled on its own.
///
/// It is part of the state that a `Guarded` protects, so that looking whether to wait and starting to wait are one step.
/// Whoever changes the state takes the waiters out under the lock and resumes them after it.
package struct Waiters<Reply: Sendable>: Sendable {
  package typealias Continuation = CheckedContinuation<Reply, any Error>

  private var waiting: [UInt64: Continuation] = [:]
  /// The waits that were cancelled, until they end.
  private var cancelled: Set<UInt64> = []
  private var last: UInt64 = 0

  package init() {}

  /// Removes and returns all of them, the longest waiting first.
  package mutating func takeAll() -> [Continuation] {
    guard !waiting.isEmpty else { return [] }
    defer { waiting = [:] }
    return waiting.sorted { $0.key < $1.key }.map(\.value)
  }

  fileprivate mutating func enter() -> UInt64 {
    last += 1
    return last
  }

  /// Returns false for a wait that is already cancelled.
  fileprivate mutating func add(_ continuation: Continuation, _ id: UInt64) -> Bool {
    guard !cancelled.contains(id) else { return false }
    waiting[id] = continuation
    return true
  }

  fileprivate mutating func cancel(_ id: UInt64) -> Continuation? {
    cancelled.insert(id)
    return waiting.removeValue(forKey: id)
  }

  fileprivate mutating func exit(_ id: UInt64) { cancelled.remove(id) }
}

/// State that tasks can wait for.
package protocol WaitableState: SendableMetatype {
  associatedtype Reply: Sendable
  var waiters: Waiters<Reply> { get set }
}

extension Guarded where State: WaitableState {
  /// Waits until one of the state's waiters is resumed.
  ///
  /// - Parameters:
  ///   - leavesWhenCancelled: Whether a cancelled task stops waiting.
  ///   - reply: Returns a result if there is nothing to wait for; called under the lock.
  /// - Throws: The error of the reply; `CancellationError` when the task is cancelled first.
  package nonisolated(nonsending) borrowing func wait(
    leavesWhenCancelled: Bool = true, unless reply: (inout State) -> Result<State.Reply, any Error>?
  ) async throws -> State.Reply {
    let id = withLock { $0.waiters.enter() }
    // A cancellation may come after the wait has ended; its mark is removed here.
    defer { withLock { $0.waiters.exit(id) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: Waiters<State.Reply>.Continuation) in
        let outcome = withLock { state -> Result<State.Reply, any Error>? in
          if let known = reply(&state) { return known }
          return state.waiters.add(continuation, id) ? nil : .failure(CancellationError())
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      guard leavesWhenCancelled else { return }
      withLock { $0.waiters.cancel(id) }?.resume(throwing: CancellationError())
    }
  }
}
