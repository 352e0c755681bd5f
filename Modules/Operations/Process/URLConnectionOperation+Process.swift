import CurlewCore

extension URLConnectionOperation {
  /// Lets the operation continue while the process is asked to end.
  ///
  /// From this call until the operation has finished, it is announced to `lifecycle`. If the time ends first, the handler is
  /// called and the operation is cancelled. Only the first call before the end counts.
  ///
  /// - Parameter expiration: Called when there is no time left, before the operation is cancelled.
  /// - Returns: Whether this is the first call.
  @discardableResult
  public func continueAtProcessEnd(
    under lifecycle: any ProcessLifecycle, expiration: (@Sendable () -> Void)? = nil
  ) -> Bool {
    let isFirst = state.withLock { state in
      defer { state.isKnownToProcess = true }
      return !state.isKnownToProcess && !state.life.isOver
    }
    guard isFirst else { return false }
    let work = lifecycle.begin { [weak self] in
      expiration?()
      self?.cancel()
    }
    let isOver = state.withLock { state in
      if !state.isConcluded { state.processWork = work }
      return state.isConcluded
    }
    if isOver { work.end() }
    return true
  }
}
