public import CurlewCore
public import CurlewLoading

extension NetworkError.Kind {
  /// A hook is set that no interceptor of the loader's chain asks, so that it would be ignored.
  public static let hookNeverAsked = NetworkError.Kind(rawValue: "hook-never-asked")
}

extension Loader {
  /// Returns the loader's settings with hooks in place of its own, for the exchange of one request.
  ///
  /// A redirect hook over a chain without `Redirect` would be ignored without a word, and the app would take what it refuses
  /// for refused. So such a hook is an error before anything is sent. `newBody` is never refused: where nothing asks for a
  /// second body, none is needed.
  ///
  /// - Parameter hooks: Those that are unset leave the loader's.
  /// - Throws: `NetworkError` of kind `hookNeverAsked` that names the hooks and what asks them.
  public func settings(answering hooks: ExchangeHooks) throws(NetworkError) -> ExchangeSettings {
    try checkHooks(hooks.names)
    var settings = settings
    settings.hooks = hooks.over(settings.hooks)
    return settings
  }

  /// Returns the loader's settings with callbacks in place of its hooks, for the exchange of one request.
  ///
  /// - Parameters:
  ///   - callbacks: Those that are unset leave the loader's hooks.
  ///   - executor: Where the callbacks run.
  /// - Throws: `NetworkError` of kind `hookNeverAsked`.
  public func settings(
    answering callbacks: CallbackHooks, on executor: CallbackExecutor
  ) throws(NetworkError) -> ExchangeSettings {
    try checkHooks(callbacks.hooks(on: executor).names)
    var settings = settings
    settings.hooks = callbacks.hooks(on: executor, over: settings.hooks)
    return settings
  }

  private func checkHooks(_ names: HookNames) throws(NetworkError) {
    let ignored = names.subtracting(chain.asks).subtracting(.newBody)
    guard !ignored.isEmpty else { return }
    let asking = Self.asking.filter { ignored.contains($0.0) }.map { "\($0.0): \($0.1)" }
    throw NetworkError(
      .hookNeverAsked, stage: .preparing,
      message: "No interceptor of the loader's chain asks these hooks; add one to the chain, or leave the hook unset"
        + " (\(asking.joined(separator: "; "))).")
  }

  /// What asks each question.
  private static let asking: [(HookNames, String)] = [
    (.redirect, "Redirect"), (.canAnswer, "Authentication, ServerTrustAsking or ClientIdentities"),
    (.mayUseStoredCredentials, "Authentication or ServerTrustAsking"),
    (.challenge, "Authentication, ServerTrustAsking or ClientIdentities"), (.storeInCache, "Caching"),
  ]
}

extension ExchangeHooks {
  /// These hooks, with what is unset taken from others.
  fileprivate func over(_ others: ExchangeHooks) -> ExchangeHooks {
    var hooks = others
    hooks.redirect = redirect ?? others.redirect
    hooks.canAnswer = canAnswer ?? others.canAnswer
    hooks.mayUseStoredCredentials = mayUseStoredCredentials ?? others.mayUseStoredCredentials
    hooks.challenge = challenge ?? others.challenge
    hooks.newBody = newBody ?? others.newBody
    hooks.storeInCache = storeInCache ?? others.storeInCache
    return hooks
  }
}
