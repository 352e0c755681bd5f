import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewRequests
import CurlewSecurity
import CurlewSession
import Foundation

extension URLSessionManager {
  /// Returns the hooks of a task, which ask the manager's methods on the callback queue.
  ///
  /// A question without a hook is not asked, unless a subclass may override its method and the chain asks it.
  func taskHooks(_ record: TaskRecord, _ session: HTTPSession) -> SessionTaskHooks {
    let own = Self.hasOwnSteps
    let asked = own ? session.configuration.chain.asks : []
    let (set, questions) = (record.snapshot, ExecutorQuestions(callbackExecutor))
    var hooks = SessionTaskHooks()
    if set.hooks.taskWillRedirect != nil || asked.contains(.redirect) {
      hooks.redirect = { [self] task, proposed, response in
        try await questions.ask { self.task(task, willSend: proposed, redirectedBy: response) }
      }
    }
    if set.hooks.sessionDidReceiveChallenge != nil || set.hooks.taskDidReceiveChallenge != nil
      || asked.contains(.challenge)
    {
      hooks.challenge = { [self] task, challenge in
        let answer = await questions.ask(willAnswer: nil) { self.task(task, didReceive: challenge, reply: $0) }
        return judged(answer, challenge, record)
      }
      hooks.answerer = set.answerer
    }
    if set.hooks.taskNeedsNewBody != nil || own {
      hooks.newBody = { [self] task, request in
        try await questions.ask { self.task(task, needsNewBodyFor: request) }
      }
    }
    if set.hooks.dataTaskWillCacheResponse != nil || asked.contains(.storeInCache) {
      hooks.storeInCache = { [self] task, response in
        (try? await questions.ask { self.dataTask(task, willCache: response) }) ?? .refuse
      }
    }
    if set.hooks.dataTaskDidReceiveResponse != nil || own {
      hooks.didReceiveResponse = { [self] task, response in
        let disposition = try await questions.ask { self.dataTask(task, didReceive: response) }
        guard case .becomeDownload(let target, var options) = disposition else { return disposition }
        record.watch(&options)
        return .becomeDownload(redirected(claimed(target, for: response.url, record), record), options)
      }
      hooks.didBecomeDownload = { [self] task, download in become(task, download, record) }
    }
    if set.hooks.dataTaskDidReceiveData != nil || own {
      hooks.didReceiveData = { [self] task, data in
        try await questions.ask { self.dataTask(task, didReceive: data) }
      }
    }
    if record.taskHandler != nil || record.willBegin != nil {
      hooks.willBegin = { task, attempt in
        if let taskHandler = record.taskHandler, attempt.reason == .retry {
          try await questions.ask { taskHandler(task) }
        }
        try await record.willBegin?()
      }
    }
    addNotices(to: &hooks, record, own)
    return hooks
  }

  private func addNotices(to hooks: inout SessionTaskHooks, _ record: TaskRecord, _ own: Bool) {
    let set = record.snapshot
    if set.hooks.taskDidSendBodyData != nil || own {
      hooks.didSendBodyData = { [self] task, recent, sent, expected in
        callbackQueue.async { self.task(task, didSendBodyData: recent, total: sent, expected: expected) }
      }
    }
    if set.hooks.downloadTaskDidWriteData != nil || own {
      hooks.didWriteData = { [self] task, recent, written, total in
        callbackQueue.async { self.downloadTask(task, didWriteData: recent, total: written, expected: total) }
      }
    }
    if set.hooks.downloadTaskDidResume != nil || own {
      hooks.didResumeDownload = { [self] task, offset, total in
        callbackQueue.async { self.downloadTask(task, didResumeAt: offset, total: total) }
      }
    }
    hooks.didChangeState = { [self] task, state in
      switch state {
      case .running: if isHeard { callbackQueue.async { self.tell(.resumed(task)) } }
      case .suspended: if isHeard { callbackQueue.async { self.tell(.suspended(task)) } }
      case .canceling, .completed: break
      }
    }
    if set.hooks.taskDidFinishCollectingMetrics != nil || own {
      hooks.didCollectMetrics = { [self] task, metrics in
        callbackQueue.async { self.task(task, didFinishCollecting: metrics) }
      }
    }
    let tellsEnd = set.hooks.taskDidComplete != nil || own
    hooks.didFinish = { [self] task, error in
      record.finish(task)
      guard tellsEnd, (error as? NetworkError)?.kind != .becameDownload else { return }
      callbackQueue.async { self.task(task, didCompleteWith: error) }
    }
  }

  /// Gives the record of a data task to the download that goes on with its response.
  private func become(_ task: SessionTask, _ download: DownloadTask, _ record: TaskRecord) {
    record.begin(download)
    state.withLock { state in
      state.ledger.enter(download.identifier, continuing: task.identifier)
      state.records[download.identifier] = record
    }
    callbackQueue.async { self.dataTask(task, didBecome: download) }
    follow(download, record)
  }

  /// Delivers the outcome of a download.
  func follow(_ download: DownloadTask, _ record: TaskRecord) {
    let identifier = download.identifier
    download.onFinish(on: .inline) { [self] outcome in
      ended(identifier, record, outcome.erased, callsBack: true)
    }
  }

  /// Returns a target whose path the manager may replace.
  func redirected(_ target: DownloadTarget, _ record: TaskRecord) -> DownloadTarget {
    guard record.hooks.downloadTaskDestination != nil || Self.hasOwnSteps else { return target }
    let questions = ExecutorQuestions(callbackExecutor)
    return target.choosing { [self] head in
      try await questions.ask {
        guard let task = record.task as? DownloadTask else { return nil }
        return self.downloadTask(task, destinationFor: head)
      }
    }
  }

  /// Returns the settings of a task's exchange; nil for the session's.
  ///
  /// - Throws: `NetworkError` of kind `hookNeverAsked` if the hook for connections is set and the chain cannot ask it.
  func exchangeSettings(
    _ record: TaskRecord, _ session: HTTPSession, _ given: ExchangeSettings?
  ) throws(NetworkError) -> ExchangeSettings? {
    let asksAboutAll = record.hooks.sessionDidReceiveChallenge != nil
    guard record.policy != nil || asksAboutAll else { return given }
    var settings = given ?? session.configuration.settings
    if let policy = record.policy { settings.serverTrust = policy }
    guard asksAboutAll else { return settings }
    guard session.configuration.chain.serverTrust != nil else {
      throw NetworkError(
        .hookNeverAsked, stage: .preparing,
        message: "sessionDidReceiveChallenge is set, and the chain asks about no server.",
        advice: "Set chain.serverTrust to ServerTrustAsking(), or use taskDidReceiveChallenge.")
    }
    let requirements = settings.serverTrust?.requirements ?? HandshakeRequirements()
    settings.serverTrust = UndecidedTrust(requirements: requirements)
    return settings
  }

  /// Lets the policy judge a server that the hook for connections has left to it.
  ///
  /// With that hook the policy was not consulted in the handshake.
  private func judged(_ answer: ChallengeAnswer, _ challenge: Challenge, _ record: TaskRecord) -> ChallengeAnswer {
    guard case .defaultHandling = answer, record.hooks.sessionDidReceiveChallenge != nil,
      let trust = challenge.serverTrust?.trust
    else { return answer }
    do {
      let policy = try record.policy ?? configuration.settings.serverTrust ?? SecurityPolicy.system()
      try policy.evaluate(trust)
      return .use(.serverTrust(trust))
    } catch {
      let refusal = error as? ServerTrustError
      return .cancel(
        NetworkError(
          .serverTrustRefused, stage: .securing,
          message: "The server's certificates are not trusted: \(refusal?.message ?? "\(error)")", underlying: error
        ).with { $0.trust = refusal })
    }
  }
}

extension CallbackExecutor {
  /// Runs work at once.
  static let inline = CallbackExecutor { $0() }
}

extension TransferOutcome {
  /// The outcome without the type of its value.
  var erased: TransferOutcome<any Sendable> {
    switch self {
    case .success(let value): .success(value)
    case .failure(let error): .failure(error)
    case .cancelled: .cancelled
    }
  }
}
