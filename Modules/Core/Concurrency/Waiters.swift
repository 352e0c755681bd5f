/// The tasks that wait for some state to change.
///
/// Each of them can be cancelled separately. `Waiters` is part of the state that a `Guarded` protects, so checking whether to
/// wait and starting to wait are one step. Code that changes the state takes the waiters under the lock and resumes them after
/// releasing it.
///
/// Everything is inlinable: without specialization, a wait would cost more than the rest of a small request.
@usableFromInline package struct Waiters: Sendable {
  /// Unchecked, since a check costs an allocation for each wait: who takes one out under the lock resumes it, once.
  @usableFromInline typealias Continuation = UnsafeContinuation<Void, any Error>

  /// One task that waits.
  @usableFromInline package struct Waiter: Sendable {
    @usableFromInline let id: UInt64
    @usableFromInline let continuation: Continuation

    @inlinable init(_ id: UInt64, _ continuation: Continuation) {
      self.id = id
      self.continuation = continuation
    }

    /// Ends the wait.
    @inlinable package func resume() { continuation.resume() }

    /// Ends the wait with a result.
    @inlinable package func resume(with result: Result<Void, any Error>) { continuation.resume(with: result) }
  }

  /// The waiting tasks in order of arrival.
  @usableFromInline var waiting = ShortList<Waiter>()
  /// The cancelled waits that have not ended yet.
  @usableFromInline var cancelled: Set<UInt64> = []
  @usableFromInline var last: UInt64 = 0

  @inlinable package init() {}

  /// Whether any task waits.
  @inlinable package var hasAny: Bool { !waiting.isEmpty }

  /// Removes and returns all waiting tasks, in order of arrival.
  @inlinable package mutating func takeAll() -> ShortList<Waiter> {
    let all = waiting
    waiting = ShortList()
    return all
  }

  @inlinable mutating func enter() -> UInt64 {
    last += 1
    return last
  }

  /// Adds a waiting task; returns false if its wait was already cancelled.
  @inlinable mutating func add(_ continuation: Continuation, _ id: UInt64) -> Bool {
    guard cancelled.isEmpty || !cancelled.contains(id) else { return false }
    waiting.append(Waiter(id, continuation))
    return true
  }

  @inlinable mutating func cancel(_ id: UInt64) -> Continuation? {
    cancelled.insert(id)
    return waiting.removeFirst { $0.id == id }?.continuation
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
  ///   - result: Returns a result if there is nothing to wait for; it is called under the lock.
  /// - Throws: The error of the result; `CancellationError` when the task is cancelled first.
  @inlinable package nonisolated(nonsending) borrowing func wait(
    leavesWhenCancelled: Bool = true, unless result: (inout State) -> Result<Void, any Error>?
  ) async throws {
    let id = withLock { $0.waiters.enter() }
    guard leavesWhenCancelled else { return try await suspend(id, unless: result) }
    // A cancellation may arrive after the wait has ended; remove its mark here.
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
    try await withUnsafeThrowingContinuation { (continuation: Waiters.Continuation) in
      let outcome = withLock { state -> Result<Void, any Error>? in
        if let known = result(&state) { return known }
        return state.waiters.add(continuation, id) ? nil : .failure(CancellationError())
      }
      if let outcome { continuation.resume(with: outcome) }
    }
  }
}
