import CurlewCore
import HTTPTypes

extension AuthenticationHop {
  /// A credential, and where it was found.
  private struct Found {
    var value: Credential
    var source: TokenSource?
    var isNews = false
  }

  /// Whether a response is a challenge, and an answer to it is ready to be sent.
  mutating func isAnswered(_ head: ResponseHead) async throws -> Bool {
    switch head.status {
    case .unauthorized:
      var challenges = AuthenticationOffer.challenges(in: head, from: origin, isProxy: false)
      // RFC 9110 §15.5.2 wants a challenge with each 401; many services that take tokens send none.
      if server.sent?.source != nil, head.headerFields[.wwwAuthenticate] == nil {
        challenges = [Challenge(protectionSpace: ProtectionSpace(origin: origin, scheme: "bearer"), response: head)]
      }
      return try await answer(AuthenticationOffer.all(in: challenges), \.server)
    case .proxyAuthenticationRequired:
      // Only a proxy that sees the request may ask; through a tunnel, or without a proxy, it is an origin that pretends.
      guard isForwarded, let proxyOrigin else { return false }
      let challenges = AuthenticationOffer.challenges(in: head, from: proxyOrigin, isProxy: true)
      return try await answer(AuthenticationOffer.all(in: challenges), \.proxy)
    default: return false
    }
  }

  /// Whether a tunnel was refused until there are credentials, and they are ready to be sent.
  ///
  /// What opens a tunnel is the transport's to write, and it writes Basic.
  mutating func answerTunnel(_ error: NetworkError) async throws -> Bool {
    guard let proxyOrigin, origin.scheme == .https else { return false }
    let challenges = error.details.proxyChallenges.filter { challenge in
      challenge.protectionSpace.isProxy && challenge.protectionSpace.origin == proxyOrigin
        && challenge.protectionSpace.scheme == "basic"
    }
    return try await answer(AuthenticationOffer.all(in: challenges), \.proxy)
  }

  /// Takes the challenges one after the other until one is answered.
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
        self[keyPath: side].sent = AnswerField(
          space: offer.space, credential: credential, session: session, source: source)
        return true
      }
    }
  }

  /// What was known is known to be wrong now, unless only the nonce was.
  private func forgetIfRefused(_ offers: [AuthenticationOffer], _ side: WritableKeyPath<AuthenticationHop, Side>) {
    guard let sent = self[keyPath: side].sent, sent.source == nil,
      offers.contains(where: { $0.space == sent.space && !$0.isStale })
    else { return }
    authentication.known.withLock { $0.forget(sent.space, ifWith: sent.credential) }
  }

  /// What answers a challenge; nil when nothing does.
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

  /// A renewed token, where the request was given one; a second refusal in a row is not the token's fault.
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

  /// What would be used without asking: a stored credential that was not refused, or the one the proxy was given with.
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
