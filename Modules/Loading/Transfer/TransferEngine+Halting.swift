import CurlewCore

extension TransferEngine {
  /// Waits until it is paused and no released attempt is running, or it has settled.
  func halted() async {
    while true {
      let (now, isAtRest, attempt) = state.withLock { ($0.machine.state, !$0.isWorking, $0.attempt) }
      switch now {
      case .finished where isAtRest:
        try? await finished(leavesWhenCancelled: false)
        await settled()
        return
      case .paused where isAtRest:
        guard let attempt else { return }
        if await attempt.isQuiet(), state.withLock({ $0.machine.state == .paused && $0.attempt === attempt }) { return }
      default: await restAfterWork()
      }
    }
  }

  /// Waits until the effects of the next or current event have been carried out.
  func restAfterWork() async {
    await withCheckedContinuation { continuation in
      let isAtRest = state.withLock { state in
        let isOver = state.machine.state == .finished || state.machine.state == .paused
        if isOver, !state.isWorking { return true }
        state.restWaiters.append(continuation)
        return false
      }
      if isAtRest { continuation.resume() }
    }
  }
}
