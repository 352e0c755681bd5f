import CurlewCore
import HTTPTypes

extension AuthenticationHop {
  /// A credential, with the source it comes from.
  private struct Found {
    var value: Credential
    var source: TokenSource?
    var isNews = false
  }

  /// Returns whether the response is a challenge that can be answered.
  ///
  /// The answer is then ready to be sent.
  mutating func isAnswered(_ head: ResponseHead) async throws -> Bool {
    switch head.status {
    case .unauthorized:
      var challenges = AuthenticationOffer.challenges(in: head, from: origin, isProxy: false)
      // RFC 9110 §15.5.2 requires a challenge in every 401, but many services with bearer tokens send none.
      if server.sent?.source != nil, head.headerFields[.wwwAuthenticate] == nil {
        challenges = [Challenge(protectionSpace: ProtectionSpace(origin: origin, scheme: "bearer"), response: head)]
      }
      return try await answer(AuthenticationOffer.all(in: challenges), \.server)
    case .proxyAuthenticationRequired:
      // A 407 counts only when a proxy forwards the request. Through a tunnel, or without a proxy, the origin sent it.
      guard isForwarded, let proxyOrigin else { return false }
      let challenges = AuthenticationOffer.challenges(in: head, from: proxyOrigin, isProxy: true)
      return try await answer(AuthenticationOffer.all(in: challenges), \.proxy)
    default: return false
    }
  }

  /// Returns whether a proxy refused a tunnel with a challenge that can be answered.
  ///
  /// The answer is then ready to be sent.
  mutating func answerTunnel(_ error: NetworkError) async throws -> Bool {
    guard let proxyOrigin, origin.scheme == .https else { return false }
    let challenges = error.details.proxyChallenges.filter { challenge in
      challenge.protectionSpace.isProxy && challenge.protectionSpace.origin == proxyOrigin
    }
    return try await answer(AuthenticationOffer.all(in: challenges), \.proxy)
  }

  /// Tries the challenges in turn until one is answered.
  private mutating func answer(
    _ offers: [AuthenticationOffer], _ side: WritableKeyPath<AuthenticationHop, Side>
  ) async throws -> Bool {
    forgetIfRefused(offers, side)
    var move = self[keyPath: side].rounds.challenge(offers)
    if case .send(let offer, _) = move { exchange.emit(.challenged(offer.challenge)) }
    while true {
      switch move {
      case .giveUp:
        self[keyPath: side].sent = nil
        return false
      case .consult(let offer, let failures):
        if let credential = try await credential(for: offer, failures: failures, side) {
          move = self[keyPath: side].rounds.answer(offer, credential.value, isToken: credential.source != nil)
          self[keyPath: side].source = credential.source
          self[keyPath: side].isNews = credential.isNews
          self[keyPath: side].answerer = answerer(of: credential, offer)
        } else {
          move = self[keyPath: side].rounds.pass()
        }
      case .send(let offer, let credential):
        guard offer.takes(credential) else {
          throw CredentialError.wrongKind(scheme: offer.space.scheme).networkError
        }
        var session: DigestSession?
        if case .digest(let digest) = offer.scheme { session = DigestSession(digest) }
        let source = self[keyPath: side].source
        self[keyPath: side].sent = CredentialHeader(
          space: offer.space, credential: credential, session: session, source: source)
        return true
      }
    }
  }

  /// Returns whose answer a credential is; nil for one from the store or a source.
  private func answerer(of found: Found, _ offer: AuthenticationOffer) -> ChallengeAnswerer? {
    if offer.space.isProxy, found.value == exchange.settings.proxy?.credential { return .credential(found.value) }
    guard found.isNews else { return nil }
    // Whoever is known by a credential has answered with another one here.
    if case .credential(let own) = hooks.answerer, own != found.value { return .new() }
    return hooks.answerer
  }

  /// Forgets a remembered credential that was refused.
  ///
  /// It is kept when the server refused only its nonce as stale.
  private func forgetIfRefused(_ offers: [AuthenticationOffer], _ side: WritableKeyPath<AuthenticationHop, Side>) {
    guard let sent = self[keyPath: side].sent, sent.source == nil,
      offers.contains(where: { $0.space == sent.space && !$0.isStale })
    else { return }
    let answerer = self[keyPath: side].answerer
    authentication.known.withLock { $0.forget(sent.space, by: answerer, ifWith: sent.credential) }
  }

  /// Returns a credential for a challenge, or nil when nobody has one.
  private mutating func credential(
    for offer: AuthenticationOffer, failures: Int, _ side: WritableKeyPath<AuthenticationHop, Side>
  ) async throws -> Found? {
    var challenge = offer.challenge
    challenge.previousFailureCount = failures
    exchange.emit(.challenged(challenge))
    if let token = try await token(for: offer, failures: failures) { return token }
    if let canAnswer = hooks.canAnswer, await !canAnswer(offer.space) { return nil }
    let proposed = await proposal(for: offer, side)
    guard let hook = hooks.challenge else { return proposed.map { Found(value: $0) } }
    challenge.proposedCredential = proposed
    switch await hook(challenge) {
    case .defaultHandling: return proposed.map { Found(value: $0) }
    case .use(let credential): return Found(value: credential, isNews: true)
    case .cancel(let error): throw error
    case .reject: return nil
    }
  }

  /// Returns a renewed token from the source of the request.
  ///
  /// Nil after a second refusal, because another new token would be refused as well.
  private func token(
    for offer: AuthenticationOffer, failures: Int
  ) async throws -> Found? {
    guard case .bearer(let error) = offer.scheme, !offer.space.isProxy, failures <= 1, let source = tokenSource,
      error != "insufficient_scope"
    else { return nil }
    var refused: String?
    if let sent = server.sent, sent.source === source, case .bearer(let value) = sent.credential { refused = value }
    let token = try await source.token(refused: refused, clock: exchange.settings.clock)
    return Found(value: .bearer(token: token.value), source: source)
  }

  /// Returns the credential that is used unless the app's hook chooses another.
  ///
  /// It is the proxy's own credential, or a stored one that was not refused.
  private mutating func proposal(
    for offer: AuthenticationOffer, _ side: WritableKeyPath<AuthenticationHop, Side>
  ) async -> Credential? {
    if offer.space.isProxy, let credential = exchange.settings.proxy?.credential, offer.takes(credential),
      !self[keyPath: side].rounds.wasRefused(credential, in: offer.space)
    {
      return credential
    }
    guard await mayUseStored(side, offer.space),
      let credential = await authentication.store.credential(for: offer.space),
      offer.takes(credential), !self[keyPath: side].rounds.wasRefused(credential, in: offer.space)
    else { return nil }
    return credential
  }
}
