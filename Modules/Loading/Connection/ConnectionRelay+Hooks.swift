import CurlewCore

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
