import CurlewCore

extension ConnectionRelay {
  /// Lets the delegate answer the questions of a loader.
  func answer(_ hooks: inout ExchangeHooks) {
    let newBody = hooks.newBody
    hooks.redirect = { [self] proposed, response in
      let request = try await ask { $1.connection($0, willSend: proposed, redirectedBy: response) }
      if let request { note(request) }
      return request
    }
    hooks.canAnswer = { [self] space in
      // Nobody is asked any more: the request ends anyway.
      (try? await ask { $1.connection($0, canAuthenticateAgainst: space) }) ?? false
    }
    hooks.mayUseStoredCredentials = { [self] space in
      (try? await ask { $1.connection($0, mayUseStoredCredentialsFor: space) }) ?? false
    }
    hooks.challenge = { [self] challenge in await ask(challenge) }
    hooks.newBody = { [self] request in
      if let body = try await ask({ $1.connection($0, needNewBodyFor: request) }) { return body }
      return try await newBody?(request)
    }
    hooks.storeInCache = { [self] response in
      // Redirects and refusals on the way are stored without a question, as long as it is not the delegate's turn. What
      // a cache asks for behind the delegate's back (`stale-while-revalidate`) is no response of this connection.
      guard !BackgroundWork.isUnderWay, asksToCache() else { return .store }
      return (try? await ask { $1.connection($0, willCache: response) }) ?? .refuse
    }
  }
}
