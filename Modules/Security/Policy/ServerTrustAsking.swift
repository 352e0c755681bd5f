public import CurlewCore

/// Asks the app about servers whose certificate was refused.
///
/// A trust evaluator decides inside the TLS handshake and must not wait. This interceptor makes decisions that take time: the
/// evaluator refuses, the connection is closed, and `ExchangeHooks.challenge` is asked with `Challenge.serverTrust`, under the
/// scheme `server-trust`. If the app answers `.use(.serverTrust(trust))`, the request is sent again under
/// `ExactCertificateTrust`, on a new connection. With every other answer it fails with the refusal. No byte of the request is
/// sent before the answer.
///
/// ```swift
/// let loader = Loader(transport, chain: InterceptorChain(serverTrust: ServerTrustAsking()))
/// var settings = ExchangeSettings()
/// settings.hooks.challenge = { challenge in
///   guard let trust = challenge.serverTrust?.trust, await isTrustedByAPerson(trust) else { return .defaultHandling }
///   return .use(.serverTrust(trust))
/// }
/// ```
///
/// An acceptance is for one certificate, one origin, one evaluator and one `challenge` hook. It is remembered, so that later requests
/// with that hook need no question, unless `ExchangeHooks.mayUseStoredCredentials` returns false. If the server then shows another certificate, the
/// request's own evaluator judges it, and the app is asked when that refuses it. To ask about every server, also those that a
/// policy would trust, set `UndecidedTrust` as the evaluator. Safe from any isolation.
public final class ServerTrustAsking: Interceptor {
  /// The scheme of the protection space that the hooks are asked about.
  public static let scheme = "server-trust"
  /// The most questions for one request, and the most answers that are remembered.
  private static let limits = (questions: 3, answers: 100)

  private struct Key: Hashable {
    var origin: Origin
    /// The evaluator that refused; nil for the transport's own.
    var evaluator: ConnectionKey?
    /// Whose answer it was.
    var answerer: ChallengeAnswerer?
  }

  private let accepted = Guarded<[Key: ExactCertificateTrust]>([:])

  /// Creates an interceptor that remembers no answer yet.
  public init() {}

  /// Forgets every acceptance, so that the app is asked again.
  ///
  /// Open connections stay open, but no request of this interceptor uses them any more.
  public func forgetAll() { accepted.withLock { $0.removeAll() } }

  /// The hooks that are asked about a refused certificate, and for a second body.
  public var asks: HookNames { [.canAnswer, .mayUseStoredCredentials, .challenge, .newBody] }

  /// Sends the request, and asks the app when the server's certificate is refused.
  ///
  /// - Throws: The errors of `next`; the error of the app's `.cancel`; `NetworkError` of kind `bodyNotReplayable` when the
  ///   server was accepted and the body cannot be sent a second time.
  public nonisolated(nonsending) func intercept(
    _ request: Request, in exchange: Exchange, next: Next
  ) async throws -> Response {
    guard exchange.settings.hooks.challenge != nil, let origin = try? request.origin, origin.scheme == .https else {
      return try await next(request, in: exchange)
    }
    let key = Key(
      origin: origin, evaluator: exchange.settings.serverTrust?.connectionKey,
      answerer: exchange.settings.hooks.answerer)
    var (request, trust) = (request, try await remembered(key, exchange))
    var (questions, sendings) = (0, 0)
    while true {
      do {
        let response = try await next(request, in: exchange.accepting(trust, isFirst: sendings == 0))
        if let trust, questions > 0, case .hook = key.answerer, await mayRemember(key, exchange) {
          remember(trust, key)
        }
        return response
      } catch let refusal as NetworkError where refusal.kind == .serverTrustRefused {
        let wasAccepted = trust != nil
        trust = nil
        if wasAccepted {
          // The certificate is not the accepted one: the evaluator of the request may trust it without a question.
          accepted.withLock { $0[key] = nil }
        } else {
          guard questions < Self.limits.questions else { throw refusal }
          trust = try await ask(about: refusal, key, exchange, failures: questions)
          questions += 1
        }
        sendings += 1
        // No byte of the first body was sent, but a transport may have begun to read it.
        request.body = try await exchange.body(
          toRepeat: request, at: .securing, because: "The server's certificate was accepted")
      }
    }
  }

  /// Asks the app, and returns the trust for the certificate that it accepts.
  ///
  /// - Throws: The refusal, unless the app accepts; the error of the app's `.cancel`.
  private nonisolated(nonsending) func ask(
    about refusal: NetworkError, _ key: Key, _ exchange: Exchange, failures: Int
  ) async throws -> ExactCertificateTrust {
    let hooks = exchange.settings.hooks
    let space = Self.space(of: key)
    guard let hook = hooks.challenge, let error = refusal.details.trust, error.trust?.certificates.isEmpty == false
    else { throw refusal }
    if let canAnswer = hooks.canAnswer, await !canAnswer(space) { throw refusal }
    let challenge = Challenge(protectionSpace: space, previousFailureCount: failures, serverTrust: error)
    exchange.emit(.challenged(challenge))
    switch await hook(challenge) {
    case .use(.serverTrust(let trust)):
      guard let leaf = trust.certificates.first, let certificate = try? Certificate(der: leaf) else { throw refusal }
      let leastVersion = exchange.settings.serverTrust?.requirements.leastVersion
      return try ExactCertificateTrust(certificate, host: trust.host, leastTLSVersion: leastVersion)
    case .cancel(let error): throw error
    case .use, .defaultHandling, .reject: throw refusal
    }
  }

  private nonisolated(nonsending) func remembered(
    _ key: Key, _ exchange: Exchange
  ) async throws -> ExactCertificateTrust? {
    guard let known = accepted.withLock({ $0[key] }), await mayRemember(key, exchange) else { return nil }
    return known
  }

  private nonisolated(nonsending) func mayRemember(_ key: Key, _ exchange: Exchange) async -> Bool {
    guard let hook = exchange.settings.hooks.mayUseStoredCredentials else { return true }
    return await hook(Self.space(of: key))
  }

  private func remember(_ trust: ExactCertificateTrust, _ key: Key) {
    accepted.withLock { accepted in
      if accepted.count >= Self.limits.answers, let one = accepted.keys.first { accepted[one] = nil }
      accepted[key] = trust
    }
  }

  private static func space(of key: Key) -> ProtectionSpace { ProtectionSpace(origin: key.origin, scheme: scheme) }
}

extension Exchange {
  /// Returns the exchange of one attempt.
  ///
  /// The first attempt keeps its hop; each later one, after an answer or a mismatch, is the next hop.
  fileprivate func accepting(_ trust: ExactCertificateTrust?, isFirst: Bool) -> Exchange {
    guard isFirst else { return nextHop { settings in if let trust { settings.serverTrust = trust } } }
    guard let trust else { return self }
    return derived(freshConnection: requiresFreshConnection) { $0.serverTrust = trust }
  }
}

/// Refuses every server, so that the app is asked about each one.
///
/// Use it in apps that decide about certificates themselves, outside the handshake. It needs `ServerTrustAsking` in the
/// loader's chain, which asks, and a `challenge` hook, which answers; without them every `https` request fails. The hook can
/// let a `SecurityPolicy` judge the certificates that the server showed:
///
/// ```swift
/// let policy = try SecurityPolicy.system()
/// var settings = ExchangeSettings()
/// settings.serverTrust = UndecidedTrust()
/// settings.hooks.challenge = { challenge in
///   guard let trust = challenge.serverTrust?.trust else { return .defaultHandling }
///   return (try? policy.evaluate(trust)) == nil ? .reject : .use(.serverTrust(trust))
/// }
/// ```
public struct UndecidedTrust: ServerTrustEvaluating {
  /// A key of its own; no connection is ever opened under it.
  public let connectionKey = ConnectionKey("undecided")
  /// The requirements for handshakes.
  public let requirements: HandshakeRequirements

  /// Creates an evaluator that refuses every server.
  ///
  /// - Parameter requirements: The requirements for handshakes. By default plain `http` is refused, because it presents no
  ///   certificate about which the app could be asked.
  public init(requirements: HandshakeRequirements = HandshakeRequirements(refusesPlainHTTP: true)) {
    self.requirements = requirements
  }

  /// Refuses the server.
  ///
  /// - Throws: `ServerTrustError` with reason `policy`, always.
  public func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    throw ServerTrustError(.policy, message: "The app has not decided about this server's certificate.")
  }
}
