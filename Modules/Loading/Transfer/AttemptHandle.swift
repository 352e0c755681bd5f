import CurlewCore

/// Holds, lets go and cancels one attempt from outside its task.
final class AttemptHandle: Sendable {
  private struct State {
    var isHeld = false
    var isCancelled = false
    var isOver = false
    var waiters: [CheckedContinuation<Void, any Error>] = []
    var body: ResponseBody?
    /// Whether a connection is in use, for a request that may be repeated.
    var isReleasable = false
    var task: Task<Void, Never>?
    var release: Task<Void, Never>?
  }

  private let state = Guarded(State())

  /// Whether giving the connection up loses nothing that a repetition does not bring back.
  var isReleasable: Bool { state.withLock { $0.isReleasable } }

  /// The attempt's own task.
  var task: Task<Void, Never>? { state.withLock { $0.task } }

  func run(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  func hold() { state.withLock { $0.isHeld = true } }

  /// The task that gives the connection up after a while.
  func releaseLater(_ task: Task<Void, Never>) {
    let isStale = state.withLock { state in
      state.release = task
      return state.isCancelled || state.isOver || !state.isHeld
    }
    if isStale { task.cancel() }
  }

  func letGo() {
    let (waiters, release) = state.withLock { state in
      state.isHeld = false
      defer {
        state.waiters = []
        state.release = nil
      }
      return (state.waiters, state.release)
    }
    release?.cancel()
    for waiter in waiters { waiter.resume() }
  }

  func cancel() {
    let old = state.withLock { state in
      let old = state
      state.isCancelled = true
      state.waiters = []
      state.body = nil
      state.release = nil
      return old
    }
    old.task?.cancel()
    old.release?.cancel()
    old.body?.cancel()
    for waiter in old.waiters { waiter.resume(throwing: CancellationError()) }
  }

  /// A connection is in use from here on.
  func send(_ request: Request) {
    state.withLock { $0.isReleasable = request.isIdempotent && request.body.isReplayable }
  }

  /// What is to be cancelled together with the attempt.
  func attach(_ body: ResponseBody) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.body = body }
      return state.isCancelled
    }
    if isCancelled { body.cancel() }
  }

  /// Whether to go on after these bytes; a cancelled attempt takes none.
  func demand() throws -> SinkDemand {
    try state.withLock { state in
      if state.isCancelled { throw CancellationError() }
      return state.isHeld ? .wait : .more
    }
  }

  /// No connection is in use any more.
  func detach() {
    // A body that is dropped here cancels itself, outside the lock.
    _ = state.withLock { state in
      let body = state.body
      state.body = nil
      state.isReleasable = false
      return body
    }
  }

  /// The attempt is over, whatever the transfer makes of it: nothing is left to be released.
  func end() {
    let (body, release) = state.withLock { state in
      state.isOver = true
      state.isReleasable = false
      defer {
        state.body = nil
        state.release = nil
      }
      return (state.body, state.release)
    }
    _ = body
    release?.cancel()
  }

  /// Waits while the attempt is held.
  ///
  /// - Throws: `CancellationError` once it is cancelled.
  func pass() async throws {
    guard state.withLock({ $0.isHeld || $0.isCancelled }) else { return }
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      let outcome: Result<Void, any Error>? = state.withLock { state in
        if state.isCancelled { return .failure(CancellationError()) }
        if !state.isHeld { return .success(()) }
        state.waiters.append(continuation)
        return nil
      }
      if let outcome { continuation.resume(with: outcome) }
    }
  }
}
