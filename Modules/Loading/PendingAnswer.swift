import CurlewCore

/// An answer that one task waits for and another gives; only the first counts.
final class PendingAnswer<Answer: Sendable>: Sendable {
  private enum State {
    case open
    case waiting(CheckedContinuation<Answer, Never>)
    case given(Answer)
  }

  private let state = Guarded(State.open)

  /// Whether there is an answer.
  var isGiven: Bool {
    state.withLock { state in
      if case .given = state { true } else { false }
    }
  }

  /// Gives the answer.
  ///
  /// - Returns: Whether it was the first.
  @discardableResult
  func give(_ answer: Answer) -> Bool {
    let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Answer, Never>?) in
      switch state {
      case .given: return (false, nil)
      case .open:
        state = .given(answer)
        return (true, nil)
      case .waiting(let continuation):
        state = .given(answer)
        return (true, continuation)
      }
    }
    waiter?.resume(returning: answer)
    return isFirst
  }

  /// Waits for the answer once; a cancelled task receives the fallback.
  func wait(otherwise fallback: Answer) async -> Answer {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let given = state.withLock { state -> Answer? in
          if case .given(let answer) = state { return answer }
          state = .waiting(continuation)
          return nil
        }
        if let given { continuation.resume(returning: given) }
      }
    } onCancel: {
      give(fallback)
    }
  }
}
