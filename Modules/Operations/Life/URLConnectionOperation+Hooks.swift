import CurlewCore
import CurlewLoading
import CurlewRequests

extension URLConnectionOperation {
  /// The executor of the steps, with their state.
  var steps: OperationSteps {
    state.withLock { state in
      if let steps = state.steps { return steps }
      let steps = OperationSteps(state.setup.answers?.values.executor ?? .serial())
      state.steps = steps
      return steps
    }
  }

  /// Returns the settings of the exchange; nil uses the loader's unchanged.
  ///
  /// - Throws: `NetworkError` of kind `hookNeverAsked` for an answer that no interceptor of the loader's chain asks for.
  func exchangeSettings(_ link: OperationLink) throws(NetworkError) -> ExchangeSettings? {
    let (answers, userInfo, hasBody) = state.withLock {
      ($0.setup.answers?.values, $0.setup.userInfo, !$0.request.body.isEmpty)
    }
    guard Self.hasOwnSteps || answers != nil || userInfo != nil else { return nil }
    let asked = Self.hasOwnSteps ? loader.chain.asks : []
    let callbacks = callbacks(link, answers ?? OperationSetup.Answers.Values(), asked)
    let steps = steps
    var settings = try loader.settings(
      answering: callbacks, on: CallbackExecutor { steps.run($0) }, over: ownSettings)
    if let storeInCache = settings.hooks.storeInCache, callbacks.storeInCache != nil {
      // What a cache fetches in the background is not this response, and neither are redirects: both are stored without a question.
      settings.hooks.asksAboutRevalidations = false
      settings.hooks.storeInCache = { response in
        guard steps.asksToCache() else { return .store }
        return await storeInCache(response)
      }
    }
    if let policy = answers?.policy { settings.serverTrust = policy }
    if let userInfo { settings.userInfo = userInfo }
    if Self.hasOwnSteps, hasBody { settings.observers.append(UploadSteps(link: link, steps: steps)) }
    return settings
  }

  /// Returns the sink behind the steps, if any step needs the response.
  func stepped(_ sink: any TransferSink, _ link: OperationLink) -> any TransferSink {
    let asksToCache = state.withLock { $0.setup.answers?.values.cache != nil }
    guard Self.hasOwnSteps || asksToCache else { return sink }
    return StepSink(inner: sink, link: link, steps: steps, tellsPieces: Self.hasOwnSteps)
  }

  /// Returns callbacks that forward the loader's hooks to the steps.
  ///
  /// - Parameter asked: The hooks to forward even if the app has set no answer.
  private func callbacks(
    _ link: OperationLink, _ answers: OperationSetup.Answers.Values, _ asked: HookNames
  ) -> CallbackHooks {
    let steps = steps
    var callbacks = CallbackHooks()
    if answers.redirect != nil || asked.contains(.redirect) {
      callbacks.redirect = { proposed, response in
        try steps.call(link) { $0.willSend(proposed, redirectedBy: response) }
      }
    }
    if answers.protectionSpace != nil || asked.contains(.canAnswer) {
      callbacks.canAnswer = { space in try steps.call(link) { $0.canAuthenticate(against: space) } }
    }
    let asksForStored = asked.contains(.mayUseStoredCredentials)
    if asksForStored || !answers.usesCredentialStorage && loader.chain.asks.contains(.mayUseStoredCredentials) {
      callbacks.mayUseStoredCredentials = { space in try steps.call(link) { $0.mayUseStoredCredentials(for: space) } }
    }
    if answers.challenge != nil || answers.credential != nil || asked.contains(.challenge) {
      callbacks.challenge = { challenge, reply in
        try steps.call(link) { operation in
          steps.note(challenge)
          operation.didReceive(challenge, reply: reply)
        }
      }
      // Operations with the same credential may share what it was good for.
      if answers.challenge != nil {
        callbacks.answerer = answers.answerer
      } else if let credential = answers.credential {
        callbacks.answerer = .credential(credential)
      }
      // A reply that is released after the end is no answer, and `didCancel` is still called.
      callbacks.willAnswerChallenge = { try? steps.call(link) { _ in steps.note(nil) } }
    }
    if answers.newBody != nil || Self.hasOwnSteps {
      callbacks.newBody = { request in try steps.call(link) { $0.needNewBody(for: request) } }
    }
    if answers.cache != nil || asked.contains(.storeInCache) {
      callbacks.storeInCache = { response in try steps.call(link) { $0.willCache(response) } }
    }
    return callbacks
  }
}
