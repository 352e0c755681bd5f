import CurlewCore

extension TransferEngine {
  /// Waits for the outcome.
  ///
  /// - Parameter leavesWhenCancelled: Whether a cancelled task stops waiting.
  func value(leavesWhenCancelled: Bool) async throws -> AnyValue {
    let id = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    defer { state.withLock { _ = $0.departed.remove(id) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<AnyValue, any Error>) in
        let outcome: Result<AnyValue, any Error>? = state.withLock { state in
          if let outcome = state.outcome, state.outcomeIsTold { return Result { try outcome.get() } }
          if state.departed.contains(id) { return .failure(CancellationError()) }
          state.waiters[id] = continuation
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      guard leavesWhenCancelled else { return }
      let waiter = state.withLock { state in
        state.departed.insert(id)
        return state.waiters.removeValue(forKey: id)
      }
      waiter?.resume(throwing: CancellationError())
    }
  }

  /// Calls the handler once with the outcome.
  func onFinish(_ handler: @escaping @Sendable (TransferOutcome<AnyValue>) -> Void) {
    let outcome = state.withLock { state -> TransferOutcome<AnyValue>? in
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
  }
}
