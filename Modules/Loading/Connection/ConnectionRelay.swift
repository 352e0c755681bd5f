import CurlewCore

/// Between a transfer and a delegate: calls in order, on the executor, until the end.
final class ConnectionRelay: Sendable {
  private struct State {
    var delegate: (any ConnectionDelegate)?
    /// Held while it runs, so that it goes on when nobody else holds it.
    var connection: Connection?
    var wasStarted = false
    var isOver = false
    var currentRequest: Request?
    var openChallenge: Challenge?
    var upload = UploadReport()
  }

  let executor: CallbackExecutor
  private let state: Guarded<State>

  init(_ delegate: any ConnectionDelegate, _ executor: CallbackExecutor) {
    self.executor = executor
    state = Guarded(State(delegate: delegate))
  }

  var currentRequest: Request? { state.withLock { $0.currentRequest } }

  /// Holds the connection from now on.
  ///
  /// - Returns: Whether it may start.
  func begin(_ connection: Connection) -> Bool {
    state.withLock { state in
      guard !state.isOver, !state.wasStarted else { return false }
      state.wasStarted = true
      state.connection = connection
      return true
    }
  }

  /// Lets everything go.
  ///
  /// - Returns: Whether it was not over.
  func cancel() -> Bool {
    // What is let go may do anything in its `deinit`, and does it outside the lock.
    let old = state.withLock { state -> State? in
      guard !state.isOver else { return nil }
      let old = state
      state.isOver = true
      state.connection = nil
      state.delegate = nil
      state.openChallenge = nil
      return old
    }
    return old != nil
  }

  /// Calls the delegate and waits for what it says.
  ///
  /// - Throws: `CancellationError` when the connection, or the waiting task, is over.
  func ask<Answer: Sendable>(
    _ call: @escaping @Sendable (Connection, any ConnectionDelegate) -> Answer
  ) async throws -> Answer {
    let pending = PendingAnswer<Answer?>()
    executor.run { [self] in
      // Who does not wait any more has ended the connection.
      guard !pending.isGiven, let (connection, delegate) = participants() else {
        pending.give(nil)
        return
      }
      pending.give(call(connection, delegate))
    }
    guard let answer = await pending.wait(otherwise: nil) else { throw CancellationError() }
    return answer
  }

  /// Hands a challenge over and waits for the reply.
  func ask(_ challenge: Challenge) async -> ChallengeAnswer {
    let pending = PendingAnswer<ChallengeAnswer>()
    executor.run { [self] in
      guard !pending.isGiven, let (connection, delegate) = participants() else {
        pending.give(.cancel(CancellationError()))
        return
      }
      state.withLock { $0.openChallenge = challenge }
      delegate.connection(connection, didReceive: challenge, reply: ChallengeReply(pending, self))
    }
    return await pending.wait(otherwise: .cancel(CancellationError()))
  }

  /// Tells the end, once; runs on the executor.
  func end(_ outcome: TransferOutcome<TransferResult>) {
    guard let (connection, delegate) = participants() else { return }
    switch outcome {
    case .success:
      guard cancel() else { return }
      delegate.connectionDidFinishLoading(connection)
    case .failure, .cancelled:
      if let challenge = state.withLock({ $0.openChallenge }) { delegate.connection(connection, didCancel: challenge) }
      // The delegate may have cancelled just now.
      guard cancel() else { return }
      delegate.connection(connection, didFailWith: outcome.error ?? CancellationError())
    }
  }

  /// Returns when the executor has done what it was given so far.
  func flush() async {
    let done = PendingAnswer<Void>()
    executor.run { done.give(()) }
    await done.wait(otherwise: ())
  }

  /// The challenge has its answer.
  func closeChallenge() { state.withLock { $0.openChallenge = nil } }

  /// The request that is sent next.
  func note(_ request: Request) {
    _ = state.withLock { state in
      let old = state.currentRequest
      state.currentRequest = request
      return old
    }
  }

  /// Takes the count of bytes sent, to be told when the executor comes to it.
  func sent(_ bytes: Int64, expected: Int64?) {
    guard state.withLock({ $0.upload.take(bytes, expected: expected) }) else { return }
    executor.run { [self] in
      guard let news = state.withLock({ $0.upload.tell() }), let (connection, delegate) = participants() else { return }
      delegate.connection(connection, didSendBodyData: news.bytes, total: news.total, expected: news.expected)
    }
  }

  /// Another sending begins.
  func beginSending() { state.withLock { $0.upload.restart() } }

  /// The response is there: nothing is told of the upload any more.
  func endUpload() { state.withLock { $0.upload.close() } }

  private func participants() -> (Connection, any ConnectionDelegate)? {
    state.withLock { state in
      guard !state.isOver, let connection = state.connection, let delegate = state.delegate else { return nil }
      return (connection, delegate)
    }
  }
}
