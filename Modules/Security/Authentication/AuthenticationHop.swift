import CurlewCore
import FoundationEssentials
import HTTPTypes

/// One request on its way to one place, with all the challenges it meets there.
struct AuthenticationHop {
  let authentication: Authentication
  /// The request as it came.
  let original: Request
  let exchange: Exchange
  let origin: Origin
  /// The origin of the proxy, where one carries the request in HTTP.
  let proxyOrigin: Origin?
  var body: Body
  var server: Side
  var proxy: Side
  var answers = 0

  /// What is known and sent to one side.
  struct Side {
    var rounds: ChallengeRounds
    var sent: AnswerField?
    /// Whether the app has to be asked no more about the store, once it said so.
    var mayUseStored: Bool?
    /// Where the token to be sent next came from; nil for other credentials.
    var source: TokenSource?
    /// Whether the app gave the credential to be sent next, and the store does not have it.
    var isNews = false
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

  /// Sends until there is a response that is to stand.
  ///
  /// - Parameter first: What came when the request was sent as it is; nil when it was not sent yet.
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
        // Nothing of the body was sent, but a transport may have begun to read it.
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

  /// Looks for what can be sent without having been asked for.
  private mutating func prepare() async throws {
    if let proxyOrigin, exchange.settings.proxy?.credential == nil,
      let entry = authentication.known.withLock({ $0.entry(for: proxyOrigin, isProxy: true, target: nil) }),
      isForwarded || entry.space.scheme == "basic", await mayUseStored(\.proxy, entry.space)
    {
      begin(\.proxy, entry)
    } else if let proxyOrigin, let credential = exchange.settings.proxy?.credential {
      let space = ProtectionSpace(origin: proxyOrigin, isProxy: true, scheme: "basic")
      proxy.rounds.begin(.init(space: space, credential: credential, isPreemptive: true))
    }
    guard original.headerFields[.authorization] == nil else { return }
    if let source = tokenSource {
      let token = try await source.token(clock: exchange.settings.clock)
      let space = ProtectionSpace(origin: origin, scheme: "bearer")
      server.sent = AnswerField(space: space, credential: .bearer(token: token.value), session: nil, source: source)
      server.rounds.begin(
        .init(space: space, credential: .bearer(token: token.value), isPreemptive: true, isToken: true))
    } else if let path = RequestTarget.plainPath(of: original.place),
      let entry = authentication.known.withLock({ $0.entry(for: origin, isProxy: false, target: path) }),
      await mayUseStored(\.server, entry.space)
    {
      begin(\.server, entry)
    }
  }

  /// Whether the proxy sees the request itself and not a tunnel.
  var isForwarded: Bool { proxyOrigin != nil && origin.scheme == .http }

  /// The source of tokens for this request, unless it belongs to that source's own refresh.
  var tokenSource: TokenSource? {
    guard original.headerFields[.authorization] == nil else { return nil }
    return authentication.tokens.first { $0.origins.contains(origin) }.flatMap { $0.isRefreshing ? nil : $0 }
  }

  private mutating func begin(_ side: WritableKeyPath<AuthenticationHop, Side>, _ entry: KnownSpaces.Entry) {
    self[keyPath: side].sent = AnswerField(
      space: entry.space, credential: entry.credential, session: entry.session, source: nil)
    self[keyPath: side].rounds.begin(
      .init(space: entry.space, credential: entry.credential, isPreemptive: true))
  }

  /// Whether the app allows what is stored to be used; asked once for each side.
  mutating func mayUseStored(_ side: WritableKeyPath<AuthenticationHop, Side>, _ space: ProtectionSpace) async -> Bool {
    guard let hook = hooks.mayUseStoredCredentials else { return true }
    if let known = self[keyPath: side].mayUseStored { return known }
    let answer = await hook(space)
    self[keyPath: side].mayUseStored = answer
    return answer
  }

  /// The request and exchange of the next sending.
  private mutating func outgoing() async throws -> (Request, Exchange) {
    var request = original
    request.body = body
    var exchange = self.exchange
    if answers > 0 { exchange = exchange.derived(hop: exchange.hop + answers) }
    if var sent = server.sent {
      request.headerFields[.authorization] = try await sent.value(for: request, authentication.configuration)
      server.sent = sent
      if request.headerFields[.authorization] == nil { server.rounds.begin(nil) }
    }
    if var sent = proxy.sent {
      if case .password = sent.credential, sent.space.scheme == "basic" {
        let credential = sent.credential
        exchange = exchange.derived { $0.proxy?.credential = credential }
      } else if isForwarded {
        request.headerFields[.proxyAuthorization] = try await sent.value(for: request, authentication.configuration)
        exchange = exchange.derived { $0.proxy?.credential = nil }
      }
      proxy.sent = sent
    }
    return (request, exchange)
  }

  /// Reads the rest where it is short and comes soon, so that the connection can be used again; else cuts it off.
  private func discard(_ response: Response) async {
    let body = response.body
    guard response.head.expectedLength ?? 0 <= Self.discardLimit else { return body.cancel() }
    let clock = exchange.settings.clock
    let deadline = clock.now.advanced(by: Self.discardTime)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await body.discard(upTo: Int(Self.discardLimit)) }
      group.addTask { try? await clock.sleep(until: deadline) }
      await group.next()
      group.cancelAll()
    }
  }

  private static let discardLimit: Int64 = 65_536
  private static let discardTime = Duration.seconds(1)

  /// A second copy of the body, where the first is gone.
  private mutating func renewBody() async throws {
    guard !body.isReplayable else { return }
    guard let hook = hooks.newBody, let copy = try await hook(original) else {
      throw NetworkError(
        .bodyNotReplayable, stage: .awaitingHead,
        message: "Credentials are asked for, and the body can be sent only once; set the newBody hook.")
    }
    body = copy
  }

  /// Takes a response that stands.
  private mutating func accept(_ response: Response) async throws -> Response {
    let head = response.head
    // What a proxy refuses, the server has not seen.
    if isForwarded, head.status == .proxyAuthenticationRequired { return response }
    var response = response
    if isForwarded, let sent = proxy.sent {
      response = try sent.check(response, .proxyAuthenticationInfo, authentication.configuration)
    }
    await learn(\.proxy, path: nil)
    if head.status == .unauthorized { return response }
    if let sent = server.sent {
      response = try sent.check(response, .authenticationInfo, authentication.configuration)
    }
    await learn(\.server, path: RequestTarget.plainPath(of: original.place))
    return response
  }

  /// Remembers what was right.
  private mutating func learn(_ side: WritableKeyPath<AuthenticationHop, Side>, path: String?) async {
    guard self[keyPath: side].rounds.answers > 0, let sent = self[keyPath: side].sent, sent.source == nil,
      await mayUseStored(side, sent.space)
    else { return }
    authentication.known.withLock { $0.learn(sent.space, sent.credential, sent.session, path: path) }
    guard self[keyPath: side].isNews, authentication.configuration.storesAnswers else { return }
    // The request went well; that its credential could not be kept is no reason to fail it.
    try? await authentication.store.set(sent.credential, for: sent.space)
  }

  /// The error with the fields as the app gave them.
  private func withoutSecrets(_ error: NetworkError) -> NetworkError {
    guard error.details.request != nil else { return error }
    return error.with { details in
      details.request?.headerFields[.authorization] = original.headerFields[.authorization]
      details.request?.headerFields[.proxyAuthorization] = original.headerFields[.proxyAuthorization]
    }
  }
}
