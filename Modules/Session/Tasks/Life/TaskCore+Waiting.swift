import CurlewCore
import CurlewLoading

extension TaskCore {
  /// Calls a handler once with the outcome, even if the task has ended.
  func onEnd(_ handler: @escaping @Sendable (Outcome) -> Void) {
    let known = state.withLock { state -> Outcome? in
      guard state.endHandlers != nil else { return state.outcome }
      state.endHandlers?.append(handler)
      return nil
    }
    if let known { enqueue(.call { handler(known) }) }
  }

  /// Calls a handler on an executor once with the outcome; `settled()` waits for it.
  func onEnd(on executor: CallbackExecutor, _ handler: @escaping @Sendable (Outcome) -> Void) {
    onEnd { [weak self] outcome in
      let core = self
      core?.beginBlock()
      executor.run {
        handler(outcome)
        core?.endBlock()
      }
    }
  }

  /// Notes a handler that `settled()` waits for.
  func beginBlock() { state.withLock { $0.openBlocks += 1 } }

  /// Notes that a handler has returned.
  func endBlock() {
    let waiters = state.withLock { state in
      state.openBlocks -= 1
      return state.openBlocks == 0 ? state.waiters.takeAll() : []
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits for the outcome.
  ///
  /// - Throws: `CancellationError` when the waiting task is cancelled and `leavesWhenCancelled` is true.
  nonisolated(nonsending) func ended(leavesWhenCancelled: Bool) async throws -> Outcome {
    try await state.wait(leavesWhenCancelled: leavesWhenCancelled) { $0.endHandlers == nil ? .success(()) : nil }
    return state.withLock { $0.outcome } ?? .cancelled
  }

  /// Starts the task if it was never resumed, unless the reading task is cancelled.
  func startReading() { if !Task.isCancelled { _ = take(.read) } }

  /// Waits for the outcome, for a reader, which starts the task if it was never resumed.
  ///
  /// Cancelling the reader cancels a task that belongs to its readers.
  ///
  /// - Throws: `CancellationError` when the reader is cancelled.
  nonisolated(nonsending) func read() async throws -> Outcome {
    startReading()
    do {
      return try await ended(leavesWhenCancelled: true)
    } catch {
      _ = take(.leave)
      // A download that is cancelled stores its bytes first, so that whoever reads on can resume it.
      guard state.withLock({ $0.life.belongsToReaders }) else { throw error }
      return try await ended(leavesWhenCancelled: false)
    }
  }

  /// Waits until the task is suspended and nothing is written any more, or has settled.
  func halted() async {
    await caughtUp()
    await state.withLock { $0.transfer }?.halted()
  }

  /// Waits until the task is completed, nothing of it is running, and its handlers have returned.
  func settled() async {
    _ = try? await ended(leavesWhenCancelled: false)
    await state.withLock { $0.transfer }?.settled()
    // By then the handlers of the end are submitted.
    await caughtUp()
    try? await state.wait(leavesWhenCancelled: false) { $0.openBlocks == 0 ? .success(()) : nil }
  }

  /// Waits until the effects of all calls so far were carried out.
  private func caughtUp() async {
    await withCheckedContinuation { continuation in enqueue(.call { continuation.resume() }) }
  }
}
