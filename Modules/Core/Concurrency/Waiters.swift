/// The tasks that wait for a change of some state, each of which can be cancelled on its own.
///
/// It is part of the state that a `Guarded` protects, so that looking whether to wait and starting to wait are one step.
/// Whoever changes the state takes the waiters out under the lock and resumes them after it.
///
/// Everything is inlinable: unspecialized, a wait would cost more than the rest of a small request.
@usableFromInline package struct Waiters: Sendable {
  @usableFromInline package typealias Continuation = CheckedContinuation<Void, any Error>

  /// One task that waits.
  @usableFromInline struct Waiter: Sendable {
    @usableFromInline let id: UInt64
    @usableFromInline let continuation: Continuation

    @inlinable init(_ id: UInt64, _ continuation: Continuation) {
      self.id = id
      self.continuation = continuation
    }
  }

  /// The tasks that wait, the longest waiting first.
  @usableFromInline var waiting: [Waiter] = []
  /// The waits that were cancelled, until they end.
  @usableFromInline var cancelled: Set<UInt64> = []
  @usableFromInline var last: UInt64 = 0

  @inlinable package init() {}

  /// Whether a task waits.
  @inlinable package var hasAny: Bool { !waiting.isEmpty }

  /// Removes and returns all of them, the longest waiting first.
  @inlinable package mutating func takeAll() -> [Continuation] {
    guard !waiting.isEmpty else { return [] }
    defer { waiting = [] }
    return waiting.map(\.continuation)
  }

  @inlinable mutating func enter() -> UInt64 {
    last += 1
    return last
  }

  /// Returns false for a wait that is already cancelled.
  @inlinable mutating func add(_ continuation: Continuation, _ id: UInt64) -> Bool {
    guard cancelled.isEmpty || !cancelled.contains(id) else { return false }
    waiting.append(Waiter(id, continuation))
    return true
  }

  @inlinable mutating func cancel(_ id: UInt64) -> Continuation? {
    cancelled.insert(id)
    return waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0).continuation }
  }

  @inlinable mutating func exit(_ id: UInt64) {
    if !cancelled.isEmpty { cancelled.remove(id) }
  }
}

/// State that tasks can wait for.
@usableFromInline package protocol WaitableState: SendableMetatype {
  var waiters: Waiters { get set }
}

extension Guarded where State: WaitableState {
  /// Waits until the state's waiters are resumed.
  ///
  /// - Parameters:
  ///   - leavesWhenCancelled: Whether a cancelled task stops waiting.
  ///   - result: Returns a result if there is nothing to wait for; called under the lock.
  /// - Throws: The error of the result; `CancellationError` when the task is cancelled first.
  @inlinable package nonisolated(nonsending) borrowing func wait(
    leavesWhenCancelled: Bool = true, unless result: (inout State) -> Result<Void, any Error>?
  ) async throws {
    let id = withLock { $0.waiters.enter() }
    guard leavesWhenCancelled else { return try await suspend(id, unless: result) }
    // A cancellation may come after the wait has ended; its mark is removed here.
    defer { withLock { $0.waiters.exit(id) } }
    try await withTaskCancellationHandler {
      try await suspend(id, unless: result)
    } onCancel: {
      withLock { $0.waiters.cancel(id) }?.resume(throwing: CancellationError())
    }
  }

  @inlinable nonisolated(nonsending) borrowing func suspend(
    _ id: UInt64, unless result: (inout State) -> Result<Void, any Error>?
  ) async throws {
    try await withCheckedThrowingContinuation { (continuation: Waiters.Continuation) in
      let outcome = withLock { state -> Result<Void, any Error>? in
        if let known = result(&state) { return known }
        return state.waiters.add(continuation, id) ? nil : .failure(CancellationError())
      }
      if let outcome { continuation.resume(with: outcome) }
    }
  }
}
