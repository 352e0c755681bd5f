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

  /// Resumes the task and waits for the outcome; cancelling the waiting task cancels the task.
  nonisolated(nonsending) func run() async throws -> Outcome {
    // The start is inside the handler, so that a task that is already cancelled sends nothing.
    try await withTaskCancellationHandler {
      _ = take(.resume)
      return try await ended(leavesWhenCancelled: false)
    } onCancel: {
      _ = take(.cancel)
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
