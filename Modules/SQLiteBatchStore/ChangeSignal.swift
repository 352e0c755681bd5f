import CurlewCore

/// Wakes the tasks that wait for a change of a store.
final class ChangeSignal: Sendable {
  private struct State {
    var revision: Int64 = 0
    var waiters: [UInt64: AsyncStream<Void>.Continuation] = [:]
    var next: UInt64 = 0
  }

  private let state = Guarded(State())

  /// Sets the revision of the store, and wakes waiting tasks if it is new.
  func advance(to revision: Int64) {
    let waiters = state.withLock { state -> [AsyncStream<Void>.Continuation] in
      guard state.revision != revision else { return [] }
      state.revision = revision
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.finish() }
  }

  /// Waits until the revision differs from the given one, or until an instant.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  func wait(
    since revision: Int64, until instant: ContinuousClock.Instant?, on clock: any NetworkClock
  ) async throws {
    let (stream, waiter) = AsyncStream.makeStream(of: Void.self)
    let number = state.withLock { state -> UInt64? in
      guard state.revision == revision else { return nil }
      state.next += 1
      state.waiters[state.next] = waiter
      return state.next
    }
    try Task.checkCancellation()
    guard let number else { return }
    defer { state.withLock { $0.waiters[number] = nil } }
    try await withThrowingTaskGroup { group in
      group.addTask { for await _ in stream {} }
      if let instant { group.addTask { try await clock.sleep(until: instant) } }
      defer { group.cancelAll() }
      try await group.next()
    }
    try Task.checkCancellation()
  }
}
