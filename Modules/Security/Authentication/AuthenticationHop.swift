import CurlewCore
import FoundationEssentials
import HTTPTypes

/// One request to one origin, with all the challenges that it meets there.
struct AuthenticationHop {
  let authentication: Authentication
  /// The request as the interceptor received it.
  let original: Request
  let exchange: Exchange
  let origin: Origin
  /// The origin of the HTTP proxy; nil without one.
  let proxyOrigin: Origin?
  var body: Body
  var server: Side
  var proxy: Side
  var answers = 0

  /// The state for one side: the server or the proxy.
  struct Side {
    var rounds: ChallengeRounds
    var sent: CredentialHeader?
    /// The app's answer to whether stored credentials may be used; nil until asked.
    var mayUseStored: Bool?
    /// The source of the token that is sent next; nil for other credentials.
    var source: TokenSource?
    /// Whether the app has just given the credential; the store does not have it yet.
    var isNews = false
    /// Whose answer the credential is; nil for one from the store, a source or the proxy's settings.
    var answerer: ChallengeAnswerer?
  }

  init(_ authentication: Authentication, _ request: Request, _ exchange: Exchange, _ origin: Origin) {
    self.authentication = authentication
    original = request
    self.exchange = exchange
    self.origin = origin
    let proxy = exchange.settings.proxy
    proxyOrigin = proxy.flatMap { proxy in
      proxy.kind == .http ? try? Origin(scheme: .http, host: proxy.host, port: proxy.port) : nil
    }
    body = request.body
    let rounds = ChallengeRounds(limit: authentication.configuration.answerLimit)
    server = Side(rounds: rounds)
    self.proxy = Side(rounds: rounds)
  }

  var hooks: ExchangeHooks { exchange.settings.hooks }

  /// Sends the request until its response is final.
  ///
  /// A response is final when it is not a challenge, or a challenge that cannot be answered.
  ///
  /// - Parameter first: The response to the request as it is; nil when it was not sent yet.
  mutating func carry(_ next: Next, beginningWith first: Response? = nil) async throws -> Response {
    var first = first
    if first == nil { try await prepare() }
    while true {
      try Task.checkCancellation()
      let response: Response
      do {
        if let known = first {
          response = known
          first = nil
        } else {
          let (request, exchange) = try await outgoing()
          response = try await next(request, in: exchange)
        }
      } catch let error as NetworkError {
        guard error.kind == .proxyChallenge, try await answerTunnel(error) else { throw withoutSecrets(error) }
        // No byte of the body was sent, but the transport may have begun to read it.
        try await renewBody()
        answers += 1
        continue
      }
      guard try await isAnswered(response.head) else { return try await accept(response) }
      try await renewBody()
      await discard(response)
      answers += 1
    }
  }

  /// Chooses the credentials that are sent before any challenge.
  private mutating func prepare() async throws {
    let given = exchange.settings.proxy?.credential
    if let proxyOrigin, exchange.settings.proxy?.authorization == nil,
      let entry = authentication.known.withLock({
        $0.entry(for: proxyOrigin, isProxy: true, target: nil, given.map { .credential($0) } ?? hooks.answerer)
      }),
      given == nil || given == entry.credential, await mayUseStored(\.proxy, entry.space)
    {
      begin(\.proxy, entry)
    }
    guard original.headerFields[.authorization] == nil else { return }
    if let source = tokenSource {
      let token = try await source.token(clock: exchange.settings.clock)
      let space = ProtectionSpace(origin: origin, scheme: "bearer")
      server.sent = CredentialHeader(
        space: space, credential: .bearer(token: token.value), session: nil, source: source)
      server.rounds.begin(
        .init(space: space, credential: .bearer(token: token.value), isPreemptive: true, isToken: true))
    } else if let path = RequestTarget.plainPath(of: original.parsedURL),
      let entry = authentication.known.withLock({ $0.entry(for: origin, isProxy: false, target: path, hooks.answerer) }
      ),
      await mayUseStored(\.server, entry.space)
    {
      begin(\.server, entry)
    }
  }

  /// Whether the proxy forwards the request itself, as opposed to a tunnel.
  var isForwarded: Bool { proxyOrigin != nil && origin.scheme == .http }

  /// The source of tokens for this request, if any.
  ///
  /// Requests that belong to the source's own refresh have none, because they would wait for themselves.
  var tokenSource: TokenSource? {
    guard original.headerFields[.authorization] == nil else { return nil }
    return authentication.tokens.first { $0.origins.contains(origin) }.flatMap { $0.isRefreshing ? nil : $0 }
  }

  private mutating func begin(_ side: WritableKeyPath<AuthenticationHop, Side>, _ entry: KnownSpaces.Entry) {
    self[keyPath: side].answerer = entry.answerer
    self[keyPath: side].sent = CredentialHeader(
      space: entry.space, credential: entry.credential, session: entry.session, source: nil)
    self[keyPath: side].rounds.begin(
      .init(space: entry.space, credential: entry.credential, isPreemptive: true))
  }

  /// Returns whether the app allows stored credentials, asking once for each side.
  mutating func mayUseStored(_ side: WritableKeyPath<AuthenticationHop, Side>, _ space: ProtectionSpace) async -> Bool {
    guard let hook = hooks.mayUseStoredCredentials else { return true }
    if let known = self[keyPath: side].mayUseStored { return known }
    let answer = await hook(space)
    self[keyPath: side].mayUseStored = answer
    return answer
  }

  /// Returns the request and the exchange for the next sending.
  private mutating func outgoing() async throws -> (Request, Exchange) {
    var request = original
    request.body = body
    var exchange = self.exchange
    if answers > 0 { exchange = exchange.derived(hop: exchange.hop + answers) }
    if var sent = server.sent {
      request.headerFields[.authorization] = try await sent.value(for: request, authentication.configuration)
      server.sent = sent
      if let value = request.headerFields[.authorization] {
        if let identity = sent.identity {
          let computed = ComputedCredentials(field: value, identity: identity)
          exchange = exchange.derived { $0.userInfo[ComputedCredentials.self] = computed }
        }
      } else {
        server.rounds.begin(nil)
      }
    }
    if var sent = proxy.sent {
      let value =
        isForwarded
        ? try await sent.value(for: request, authentication.configuration)
        : try await sent.value(forTunnelTo: origin, authentication.configuration)
      if value == nil { proxy.rounds.begin(nil) }
      exchange = exchange.derived { settings in
        settings.proxy?.authorization = value
        // A tunnel serves only requests with the credential that opened it, which a Digest response does not show.
        if case .password = sent.credential { settings.proxy?.credential = sent.credential }
      }
      proxy.sent = sent
    }
    return (request, exchange)
  }

  /// Discards the response that carries a challenge.
  ///
  /// A short body is read to its end, so that the connection can be reused.
  private func discard(_ response: Response) async {
    await response.discard(upTo: Self.discardLimit, within: Self.discardTime, on: exchange.settings.clock)
  }

  private static let discardLimit = 65_536
  private static let discardTime = Duration.seconds(1)

  /// Replaces a body that can be read only once by a second one from the app.
  private mutating func renewBody() async throws {
    guard !body.isReplayable else { return }
    body = try await exchange.body(toRepeat: original, at: .awaitingHead, because: "The server asks for credentials")
  }

  /// Accepts a response, and learns from it which credentials work.
  private mutating func accept(_ response: Response) async throws -> Response {
    let head = response.head
    // A request that the proxy refused has not reached the server.
    if isForwarded, head.status == .proxyAuthenticationRequired { return response }
    var response = response
    if isForwarded, let sent = proxy.sent {
      response = try sent.check(response, .proxyAuthenticationInfo, authentication.configuration)
    }
    await learn(\.proxy, path: nil)
    if head.status == .unauthorized {
      response.head.refusesCredentials = server.rounds.hasSent || original.headerFields[.authorization] != nil
      return response
    }
    if let sent = server.sent {
      response = try sent.check(response, .authenticationInfo, authentication.configuration)
    }
    await learn(\.server, path: RequestTarget.plainPath(of: original.parsedURL))
    return response
  }

  /// Remembers the credential that worked.
  private mutating func learn(_ side: WritableKeyPath<AuthenticationHop, Side>, path: String?) async {
    guard self[keyPath: side].rounds.answers > 0, let sent = self[keyPath: side].sent, sent.source == nil,
      await mayUseStored(side, sent.space)
    else { return }
    let answerer = self[keyPath: side].answerer
    authentication.known.withLock { $0.learn(sent.space, sent.credential, sent.session, by: answerer, path: path) }
    guard self[keyPath: side].isNews, authentication.configuration.storesAnswers else { return }
    // The request succeeded; failing to store its credential does not change that.
    try? await authentication.store.set(sent.credential, for: sent.space)
  }

  /// Returns the error without the credentials that were added to the request.
  ///
  /// The header fields that the app itself set stay in it.
  private func withoutSecrets(_ error: NetworkError) -> NetworkError {
    guard error.details.request != nil else { return error }
    return error.with { details in
      details.request?.headerFields[.authorization] = original.headerFields[.authorization]
      details.request?.headerFields[.proxyAuthorization] = original.headerFields[.proxyAuthorization]
    }
  }
}
