import CurlewCore
import CurlewLoading

extension TaskCore {
  func perform(_ effect: TaskLife.Effect) {
    switch effect {
    case .launch: launch()
    case .pause:
      state.withLock { $0.transfer }?.pause()
      releaseTask()
    case .resume: state.withLock { $0.transfer }?.resume()
    case .stop: state.withLock { $0.transfer }?.cancel()
    case .announce(let entered): announce(entered)
    case .conclude: conclude()
    }
  }

  /// Creates the transfer and starts it.
  private func launch() {
    let make = state.withLock { state in
      defer { state.make = nil }
      return state.life.state == .completed ? nil : state.make
    }
    guard let make else { return }
    do {
      let transfer = try make(self)
      state.withLock { $0.transfer = transfer }
      transfer.onEnd { [link] outcome in link.core?.settle(outcome) }
      transfer.start()
    } catch {
      settle(.failure(error))
    }
  }

  private func announce(_ entered: SessionTaskState) {
    let handlers = state.withLock { $0.stateHandlers }
    if let tell = hooks.didChangeState, let task { tell(task, entered) }
    for tell in handlers { tell(entered) }
  }

  private func conclude() {
    let (transfer, task, outcome) = state.withLock { ($0.transfer, $0.task, $0.outcome) }
    if transfer == nil { boards.abandon() }
    guard let outcome else { return }
    if let task {
      if let tell = hooks.didCollectMetrics { tell(task, transfer?.metrics ?? []) }
      hooks.didFinish?(task, outcome.error)
    }
    let (handlers, waiters, _, _) = state.withLock { state in
      defer {
        state.endHandlers = nil
        state.stateHandlers = []
        state.make = nil
      }
      return (state.endHandlers ?? [], state.waiters.takeAll(), state.stateHandlers, state.make)
    }
    for tell in handlers { tell(outcome) }
    for waiter in waiters { waiter.resume() }
    releaseTask()
  }

  /// Releases the task, which the app may hold or not.
  private func releaseTask() {
    // Release the reference outside the lock, because it may be the last.
    _ = state.withLock { state -> SessionTask? in
      guard !state.life.mustLive else { return nil }
      defer { state.held = nil }
      return state.held
    }
  }
}
