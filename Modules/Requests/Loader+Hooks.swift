public import CurlewCore
public import CurlewLoading

extension NetworkError.Kind {
  /// A hook is set that no interceptor of the loader's chain would call.
  public static let hookNeverAsked = NetworkError.Kind(rawValue: "hook-never-asked")
}

extension Loader {
  /// Returns the loader's settings with these hooks replaced, for one request.
  ///
  /// Without this check, a redirect hook would be ignored silently if the chain has no `Redirect`, and the app would believe
  /// that its refusals take effect. Such a hook is therefore an error before anything is sent. `newBody` is never refused: if
  /// no interceptor asks for a second body, none is needed.
  ///
  /// - Parameter hooks: The hooks; unset ones keep the loader's.
  /// - Throws: `NetworkError` of kind `hookNeverAsked`, whose message lists the hooks and the interceptors that call them.
  public func settings(answering hooks: ExchangeHooks) throws(NetworkError) -> ExchangeSettings {
    try checkHooks(hooks.names)
    var settings = settings
    settings.hooks = hooks.over(settings.hooks)
    return settings
  }

  /// Returns the loader's settings with callbacks as hooks, for one request.
  ///
  /// - Parameters:
  ///   - callbacks: The callbacks; unset ones keep the loader's hooks.
  ///   - executor: Where the callbacks run.
  /// - Throws: `NetworkError` of kind `hookNeverAsked`.
  public func settings(
    answering callbacks: CallbackHooks, on executor: CallbackExecutor
  ) throws(NetworkError) -> ExchangeSettings {
    try settings(answering: callbacks, on: executor, over: nil)
  }

  /// Returns settings with callbacks as hooks, for one request.
  ///
  /// - Parameter given: The settings of the request; nil takes the loader's.
  package func settings(
    answering callbacks: CallbackHooks, on executor: CallbackExecutor, over given: ExchangeSettings?
  ) throws(NetworkError) -> ExchangeSettings {
    try checkHooks(callbacks.hooks(on: executor).names)
    var settings = given ?? settings
    settings.hooks = callbacks.hooks(on: executor, over: settings.hooks)
    return settings
  }

  private func checkHooks(_ names: HookNames) throws(NetworkError) {
    let ignored = names.subtracting(asks).subtracting(.newBody)
    guard !ignored.isEmpty else { return }
    let asking = Self.asking.filter { ignored.contains($0.0) }.map { "\($0.0): \($0.1)" }
    throw NetworkError(
      .hookNeverAsked, stage: .preparing,
      message: "No interceptor of the loader's chain calls these hooks (\(asking.joined(separator: ", "))).",
      advice: "Add one that does, or leave the hook unset.")
  }

  /// The interceptors that call each hook.
  private static let asking: [(HookNames, String)] = [
    (.redirect, "Redirect"), (.canAnswer, "Authentication, ServerTrustAsking or ClientIdentities"),
    (.mayUseStoredCredentials, "Authentication or ServerTrustAsking"),
    (.challenge, "Authentication, ServerTrustAsking or ClientIdentities"), (.storeInCache, "Caching"),
  ]
}

extension ExchangeHooks {
  /// Returns these hooks, with unset ones taken from `others`.
  package func over(_ others: ExchangeHooks) -> ExchangeHooks {
    var hooks = others
    hooks.redirect = redirect ?? others.redirect
    hooks.canAnswer = canAnswer ?? others.canAnswer
    hooks.mayUseStoredCredentials = mayUseStoredCredentials ?? others.mayUseStoredCredentials
    if let challenge {
      hooks.challenge = challenge
      hooks.answerer = answerer
    }
    hooks.newBody = newBody ?? others.newBody
    hooks.storeInCache = storeInCache ?? others.storeInCache
    return hooks
  }
}
