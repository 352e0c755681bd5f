public import CurlewCore

/// Presents client identities to their hosts, or asks the app for one.
///
/// Place it in `InterceptorChain.perHop`, so that a redirect does not take an identity to another host.
///
/// ```swift
/// let identities = try ClientIdentities(["api.example": identity, "*.partner.example": other])
/// let loader = Loader(transport, chain: InterceptorChain(redirect: Redirect(), perHop: [identities]))
/// ```
///
/// An identity in `ExchangeSettings` takes precedence. When a server refuses the handshake because it requires another
/// identity, `ExchangeHooks.challenge` is asked under the scheme `client-certificate`. The identity in the answer is tried on
/// a new connection and, once it worked, remembered for that origin and that hook. A server that refuses with an HTTP status instead is not
/// recognized here. Safe from any isolation.
public final class ClientIdentities: Interceptor {
  /// The scheme of the protection space that the hooks are asked about.
  public static let scheme = "client-certificate"
  /// The most questions for one request, and the most answers to remember.
  private static let limits = (questions: 3, answers: 100)

  private let identities: [String: ClientIdentity]
  private struct Key: Hashable {
    var origin: Origin
    /// Whose answer it was.
    var answerer: ChallengeAnswerer?
  }

  private let answered = Guarded<[Key: ClientIdentity]>([:])

  /// Creates an interceptor.
  ///
  /// - Parameter identities: The identities by host as in a URL, or by `*.` and a name, which stands for exactly one label
  ///   before it. An exact host wins over a wildcard.
  /// - Throws: `SecurityError` of kind `malformedHost` when a host is invalid or named twice.
  public init(_ identities: [String: ClientIdentity] = [:]) throws(SecurityError) {
    self.identities = try PolicyHost.table(identities)
  }

  /// The hooks that are asked when a server refuses the identity of its host.
  public var asks: HookNames { [.canAnswer, .challenge] }

  /// Sends the request with the identity of its host.
  ///
  /// - Throws: The errors of `next`; the error of the app's `.cancel`.
  public func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    guard exchange.settings.clientIdentity == nil, let origin = try? request.origin, origin.scheme == .https else {
      return try await next(request, in: exchange)
    }
    let known =
      answered.withLock { $0[Key(origin: origin, answerer: exchange.settings.hooks.answerer)] }
      ?? PolicyHost.find(origin.host, in: identities)
    do {
      return try await next(request, in: exchange.derived { $0.clientIdentity = known })
    } catch let refusal as NetworkError where refusal.kind == .clientIdentityFailed && request.body.isReplayable {
      return try await ask(refusal, request, exchange, origin, known, next)
    }
  }

  private func ask(
    _ refusal: NetworkError, _ request: Request, _ exchange: Exchange, _ origin: Origin, _ known: ClientIdentity?,
    _ next: Next
  ) async throws -> Response {
    var (refusal, proposed) = (refusal, known)
    let space = ProtectionSpace(origin: origin, scheme: Self.scheme)
    let hooks = exchange.settings.hooks
    guard let challenge = hooks.challenge else { throw refusal }
    if let canAnswer = hooks.canAnswer, await !canAnswer(space) { throw refusal }
    for failures in 0..<Self.limits.questions {
      let question = Challenge(
        protectionSpace: space, previousFailureCount: failures + (known == nil ? 0 : 1),
        proposedCredential: proposed.map { .identity($0) })
      exchange.emit(.challenged(question))
      switch await challenge(question) {
      case .use(.identity(let identity)):
        do {
          let response = try await next(request, in: exchange.nextHop { $0.clientIdentity = identity })
          keep(identity, for: Key(origin: origin, answerer: hooks.answerer))
          return response
        } catch let again as NetworkError where again.kind == .clientIdentityFailed {
          (refusal, proposed) = (again, identity)
        }
      case .cancel(let error): throw error
      case .use, .defaultHandling, .reject: throw refusal
      }
    }
    throw refusal
  }

  private func keep(_ identity: ClientIdentity, for key: Key) {
    guard case .hook = key.answerer else { return }
    answered.withLock { answered in
      if answered.count >= Self.limits.answers, let one = answered.keys.first { answered[one] = nil }
      answered[key] = identity
    }
  }
}
