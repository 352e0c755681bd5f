import CurlewCore

extension TransferEngine {
  /// Waits for the outcome.
  ///
  /// - Parameter leavesWhenCancelled: Whether a cancelled task stops waiting.
  /// - Throws: The transfer's error; `CancellationError` when the transfer or the waiting task was cancelled.
  nonisolated(nonsending) func finished(leavesWhenCancelled: Bool) async throws {
    try await state.wait(leavesWhenCancelled: leavesWhenCancelled) { state in
      guard state.outcomeIsTold, let outcome = state.outcome else { return nil }
      return Result { try outcome.get() }
    }
  }

  /// Starts it if it is ready, and waits for the outcome; cancelling the task cancels the transfer.
  nonisolated(nonsending) func run() async throws {
    // The start is inside the handler, so that a task that is already cancelled sends nothing.
    try await withTaskCancellationHandler {
      send(.start)
      try await finished(leavesWhenCancelled: false)
    } onCancel: {
      send(.cancel)
    }
  }

  /// Calls the handler once with the outcome.
  func onFinish(_ handler: @escaping @Sendable (TransferOutcome<Void>) -> Void) {
    let outcome = state.withLock { state -> TransferOutcome<Void>? in
      if state.outcomeIsTold { return state.outcome }
      state.finishHandlers.append(handler)
      return nil
    }
    if let outcome { handler(outcome) }
  }

  /// Waits for the work that continues after the outcome.
  func settled() async {
    let (attempt, interlude, timer) = state.withLock { ($0.attempt, $0.interlude, $0.deadlineTimer) }
    await attempt?.task?.value
    await interlude?.value
    await timer?.value
    // A task that released a paused attempt may be carrying out the end.
    if state.withLock({ $0.outcome != nil }) { await restAfterWork() }
  }
}
