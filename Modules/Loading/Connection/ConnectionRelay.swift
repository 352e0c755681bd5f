import CurlewCore

/// Connects a transfer with a delegate.
///
/// It calls the delegate in order, on the executor, until the end.
final class ConnectionRelay: Sendable {
  private struct State {
    var delegate: (any ConnectionDelegate)?
    /// The connection, retained while it runs.
    var connection: Connection?
    var wasStarted = false
    var isOver = false
    var currentRequest: Request?
    var openChallenge: Challenge?
    var upload = UploadReport()
    /// Whether the delegate has the response and may be asked about caching.
    var mayAskToCache = false
  }

  let executor: CallbackExecutor
  private let state: Guarded<State>

  init(_ delegate: any ConnectionDelegate, _ executor: CallbackExecutor) {
    self.executor = executor
    state = Guarded(State(delegate: delegate))
  }

  var currentRequest: Request? { state.withLock { $0.currentRequest } }

  /// Retains the connection from now on.
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

  /// Releases the delegate and the connection.
  ///
  /// - Returns: False if the connection had already ended.
  func cancel() -> Bool {
    // Release them outside the lock, because their `deinit` may run any code.
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

  /// Calls the delegate on the executor and returns its answer.
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

  /// Reports the end once; runs on the executor.
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

  /// Waits until the executor has run all work so far.
  func flush() async {
    let done = PendingAnswer<Void>()
    executor.run { done.give(()) }
    await done.wait(otherwise: ())
  }

  /// Records a challenge that the delegate was informed of.
  func openChallenge(_ challenge: Challenge) { state.withLock { $0.openChallenge = challenge } }

  /// Records that the challenge has its answer.
  func closeChallenge() { state.withLock { $0.openChallenge = nil } }

  /// Records the request that is sent next.
  func note(_ request: Request) {
    _ = state.withLock { state in
      let old = state.currentRequest
      state.currentRequest = request
      return old
    }
  }

  /// Records the number of sent bytes and schedules a report on the executor.
  func sent(_ bytes: Int64, expected: Int64?) {
    guard state.withLock({ $0.upload.take(bytes, expected: expected) }) else { return }
    executor.run { [self] in
      guard let news = state.withLock({ $0.upload.tell() }), let (connection, delegate) = participants() else { return }
      delegate.connection(connection, didSendBodyData: news.bytes, total: news.total, expected: news.expected)
    }
  }

  /// Records that the body is sent again from its start.
  func beginSending() { state.withLock { $0.upload.restart() } }

  /// Records the response: uploads are reported no more, and caches may ask.
  func respond() {
    state.withLock { state in
      state.upload.close()
      state.mayAskToCache = true
    }
  }

  /// Returns whether to ask the delegate about caching, which happens once.
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

extension ConnectionRelay {
  /// Makes the delegate answer the hooks of a loader.
  func answer(_ hooks: inout ExchangeHooks) {
    hooks = callbacks.hooks(on: executor, over: hooks)
    if let redirect = hooks.redirect {
      hooks.redirect = { [self] proposed, response in
        let request = try await redirect(proposed, response)
        if let request { note(request) }
        return request
      }
    }
    hooks.asksAboutRevalidations = false
    if let storeInCache = hooks.storeInCache {
      hooks.storeInCache = { [self] response in
        // Redirects and challenges are stored without a question, because the delegate sees only the final response.
        guard asksToCache() else { return .store }
        return await storeInCache(response)
      }
    }
  }

  private var callbacks: CallbackHooks {
    var callbacks = CallbackHooks()
    callbacks.redirect = { [self] proposed, response in
      try call { $1.connection($0, willSend: proposed, redirectedBy: response) }
    }
    callbacks.canAnswer = { [self] space in try call { $1.connection($0, canAuthenticateAgainst: space) } }
    callbacks.mayUseStoredCredentials = { [self] space in
      try call { $1.connection($0, mayUseStoredCredentialsFor: space) }
    }
    callbacks.challenge = { [self] challenge, reply in
      try call { connection, delegate in
        openChallenge(challenge)
        delegate.connection(connection, didReceive: challenge, reply: reply)
      }
    }
    callbacks.willAnswerChallenge = { [self] in closeChallenge() }
    callbacks.newBody = { [self] request in try call { $1.connection($0, needNewBodyFor: request) } }
    callbacks.storeInCache = { [self] response in try call { $1.connection($0, willCache: response) } }
    return callbacks
  }
}
