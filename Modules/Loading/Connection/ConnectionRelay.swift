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
    /// Whether the delegate has the response, and was not asked yet whether to store it.
    var mayAskToCache = false
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

  /// Calls the delegate on the executor and returns what it says.
  ///
  /// - Throws: `CancellationError` when the connection is over or the waiting task is cancelled.
  func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (Connection, any ConnectionDelegate) -> Answer
  ) async throws -> Answer {
    try await ExecutorQuestions(executor).ask { [self] in try call(question) }
  }

  /// Calls the delegate; runs on the executor.
  ///
  /// - Throws: `CancellationError` when the connection is over.
  func call<Answer>(_ question: (Connection, any ConnectionDelegate) -> Answer) throws -> Answer {
    guard let (connection, delegate) = participants() else { throw CancellationError() }
    return question(connection, delegate)
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

  /// Notes a challenge that the delegate is told of.
  func openChallenge(_ challenge: Challenge) { state.withLock { $0.openChallenge = challenge } }

  /// Notes that the challenge has its answer.
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

  /// The response is there: nothing is told of the upload any more, and a cache may ask.
  func respond() {
    state.withLock { state in
      state.upload.close()
      state.mayAskToCache = true
    }
  }

  /// Whether it is time for the one question whether to store the response.
  func asksToCache() -> Bool {
    state.withLock { state in
      defer { state.mayAskToCache = false }
      return state.mayAskToCache
    }
  }

  private func participants() -> (Connection, any ConnectionDelegate)? {
    state.withLock { state in
      guard !state.isOver, let connection = state.connection, let delegate = state.delegate else { return nil }
      return (connection, delegate)
    }
  }
}
