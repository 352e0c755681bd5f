import CurlewCore

/// Pauses, resumes and cancels one attempt from outside its task.
final class AttemptHandle: Sendable {
  private struct State {
    var isCancelled = false
    var isOver = false
    var body: ResponseBody?
    /// Whether a connection is in use by a request that can be repeated.
    var isReleasable = false
    /// Nil before `run` and after the end of its work.
    var task: Task<Void, Never>?
    /// Whether the task's work has ended.
    var hasLeft = false
    /// The previous attempt, which may not have ended yet.
    var predecessor: Task<Void, Never>?
    var release: Task<Void, Never>?
    /// Whether releasing the connection was tried since the attempt was paused.
    var wasReleaseTried = false
  }

  private let state = Guarded(State())
  /// Tells the transport and the interceptors whether the attempt is paused.
  let signal = PauseSignal()

  /// Whether the connection can be released and the request repeated.
  var isReleasable: Bool { state.withLock { $0.isReleasable } }

  /// The attempt's own task; nil after the end of its work.
  var task: Task<Void, Never>? { state.withLock { $0.task } }

  func run(_ task: Task<Void, Never>, after predecessor: Task<Void, Never>?) {
    let isCancelled = state.withLock { state in
      guard !state.hasLeft else { return false }
      state.task = task
      state.predecessor = predecessor
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Releases the task, whose work has ended; called by the task itself.
  ///
  /// Otherwise the memory of each task would be kept as long as its transfer.
  func leave() {
    // The task is not released under the lock.
    _ = state.withLock { state in
      state.hasLeft = true
      defer { state.task = nil }
      return state.task
    }
  }

  func pause() {
    state.withLock { $0.wasReleaseTried = false }
    signal.pause()
  }

  /// Records that the connection stays, because the request cannot be repeated.
  func keepsConnection() {
    state.withLock { state in
      state.wasReleaseTried = true
      state.release = nil
    }
  }

  /// Waits for pending work to end while the attempt is paused.
  ///
  /// - Returns: Whether nothing has changed meanwhile, so that there is nothing left to wait for.
  func isQuiet() async -> Bool {
    let (release, ending) = state.withLock { state in
      (state.release, state.isCancelled || state.isOver ? state.task : state.predecessor)
    }
    if let release {
      await release.value
      return false
    }
    await ending?.value
    return true
  }

  /// Sets the task that releases the connection after a while.
  func releaseLater(_ task: Task<Void, Never>) {
    let isOver = state.withLock { state in
      if !state.wasReleaseTried { state.release = task }
      return state.isCancelled || state.isOver
    }
    if isOver || !signal.isPaused { task.cancel() }
  }

  func resume() {
    signal.resume()
    let release = state.withLock { state in
      defer { state.release = nil }
      return state.release
    }
    release?.cancel()
  }

  func cancel() {
    let old = state.withLock { state in
      let old = state
      state.isCancelled = true
      state.body = nil
      state.release = nil
      return old
    }
    old.task?.cancel()
    old.release?.cancel()
    old.body?.cancel()
  }

  /// Records that a connection is in use from now on.
  func send(_ request: Request) {
    state.withLock { $0.isReleasable = request.isIdempotent && request.body.isReplayable }
  }

  /// Sets the body to cancel together with the attempt.
  func attach(_ body: ResponseBody) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.body = body }
      return state.isCancelled
    }
    if isCancelled { body.cancel() }
  }

  /// Returns whether to continue after these bytes; throws in a cancelled attempt.
  func demand() throws -> SinkDemand {
    if state.withLock({ $0.isCancelled }) { throw CancellationError() }
    return signal.isPaused ? .pause : .more
  }

  /// Records that no connection is in use any more.
  func detach() {
    // A body that is released here cancels itself, outside the lock.
    _ = state.withLock { state in
      let body = state.body
      state.body = nil
      state.isReleasable = false
      return body
    }
  }

  /// Ends the attempt, so that nothing is left to be released.
  func end() {
    let (body, release) = state.withLock { state in
      state.isOver = true
      state.isReleasable = false
      state.predecessor = nil
      defer {
        state.body = nil
        state.release = nil
      }
      return (state.body, state.release)
    }
    _ = body
    release?.cancel()
  }

  /// Whether the attempt is paused, so that its task waits.
  ///
  /// - Throws: `CancellationError` when it is cancelled.
  func mustWait() throws -> Bool {
    if state.withLock({ $0.isCancelled }) { throw CancellationError() }
    return signal.isPaused
  }

  /// Waits while the attempt is paused; called by its own task.
  ///
  /// - Throws: `CancellationError` when it is cancelled.
  nonisolated(nonsending) func waitWhilePaused() async throws {
    guard try mustWait() else { return }
    try await signal.waitWhilePaused()
    _ = try mustWait()
  }
}
