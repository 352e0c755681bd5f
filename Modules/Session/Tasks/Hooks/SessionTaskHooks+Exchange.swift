import CurlewCore
import CurlewLoading
import CurlewRequests

extension SessionTaskHooks {
  /// Returns the settings of a task's exchange; nil if those of its configuration apply unchanged.
  ///
  /// - Throws: `NetworkError` of kind `hookNeverAsked` for a hook that no interceptor of the chain asks.
  func settings(
    _ given: @autoclosure () -> ExchangeSettings?, _ core: TaskCore, _ loader: Loader
  ) throws(NetworkError) -> ExchangeSettings? {
    let own = exchangeHooks(core.link)
    let userInfo = core.state.withLock { $0.hasNewUserInfo ? $0.userInfo : nil }
    let observes = didSendBodyData != nil || loader.asks.contains(.redirect)
    guard userInfo != nil || observes || !own.names.isEmpty else { return nil }
    // The check is the loader's; what is given replaces the loader's settings.
    let checked = try loader.settings(answering: own)
    let given = given()
    var settings = given ?? checked
    if given != nil { settings.hooks = own.over(settings.hooks) }
    if let userInfo { settings.userInfo = userInfo }
    if observes { settings.observers.append(TaskObserver(core.link, didSendBodyData)) }
    return settings
  }

  /// Returns the questions of the exchange, asked with the task.
  ///
  /// A task that was released is cancelled, so it gets the answers of a cancelled request.
  func exchangeHooks(_ link: TaskLink) -> ExchangeHooks {
    var hooks = ExchangeHooks()
    if let redirect {
      hooks.redirect = { proposed, response in
        guard let task = link.task else { throw CancellationError() }
        return try await redirect(task, proposed, response)
      }
    }
    if let canAnswer {
      hooks.canAnswer = { space in
        guard let task = link.task else { return false }
        return await canAnswer(task, space)
      }
    }
    if let mayUseStoredCredentials {
      hooks.mayUseStoredCredentials = { space in
        guard let task = link.task else { return false }
        return await mayUseStoredCredentials(task, space)
      }
    }
    if let challenge {
      hooks.challenge = { asked in
        guard let task = link.task else { return .cancel(CancellationError()) }
        return await challenge(task, asked)
      }
      hooks.answerer = answerer
    }
    if let newBody {
      hooks.newBody = { request in
        guard let task = link.task else { throw CancellationError() }
        return try await newBody(task, request)
      }
    }
    if let storeInCache {
      hooks.storeInCache = { response in
        guard let task = link.task else { return .refuse }
        return await storeInCache(task, response)
      }
    }
    return hooks
  }
}
