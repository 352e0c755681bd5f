public import CurlewCore

/// Presents client identities to the hosts they are for, and asks for one where a server wants one.
///
/// Stands where each hop passes (`InterceptorChain.perHop`), so that a redirect takes no identity to another host:
/// ```swift
/// let identities = try ClientIdentities(["api.example": identity, "*.partner.example": other])
/// let loader = Loader(transport, chain: InterceptorChain(redirect: Redirect(), perHop: [identities]))
/// ```
/// An identity in `ExchangeSettings` goes before these. A server that refuses the handshake for want of another one is a
/// challenge of scheme `client-certificate` to `ExchangeHooks.challenge`; the identity it answers with is tried on a new
/// connection, and kept for that origin once it worked. A server that asks inside HTTP, with a status, is not seen here.
/// Safe from any isolation.
public final class ClientIdentities: Interceptor {
  /// The scheme of the protection space that the hook is asked about.
  public static let scheme = "client-certificate"
  /// How often the hook is asked for one request, and for how many origins answers are kept.
  private static let limits = (questions: 3, origins: 100)

  private let identities: [String: ClientIdentity]
  private let answered = Guarded<[Origin: ClientIdentity]>([:])

  /// Makes an interceptor.
  ///
  /// - Parameter identities: By host as in a URL, or `*.` and a name for any one label before it; an exact host goes first.
  /// - Throws: `SecurityError` of kind `malformedHost` when one is no host, or is there twice.
  public init(_ identities: [String: ClientIdentity] = [:]) throws(SecurityError) {
    self.identities = try PolicyHost.table(identities)
  }

  /// Sends with the identity of the request's host.
  ///
  /// - Throws: What `next` throws, or what the hook cancels with.
  public func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    guard exchange.settings.clientIdentity == nil, let origin = try? request.origin, origin.scheme == .https else {
      return try await next(request, in: exchange)
    }
    let known = answered.withLock { $0[origin] } ?? PolicyHost.find(origin.host, in: identities)
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
          keep(identity, for: origin)
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

  private func keep(_ identity: ClientIdentity, for origin: Origin) {
    answered.withLock { answered in
      if answered.count >= Self.limits.origins { answered.removeAll() }
      answered[origin] = identity
    }
  }
}
