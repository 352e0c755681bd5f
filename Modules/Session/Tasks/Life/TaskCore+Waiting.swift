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
    guard let engine = state.withLock({ $0.engine }) else { return }
    await engine.halted()
  }

  /// Waits until the task is completed and nothing of it is running.
  func settled() async {
    _ = try? await ended(leavesWhenCancelled: false)
    await state.withLock { $0.engine }?.settled()
  }

  /// Waits until the effects of all calls so far were carried out.
  private func caughtUp() async {
    await withCheckedContinuation { continuation in enqueue(.call { continuation.resume() }) }
  }
}
