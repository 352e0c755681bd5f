public import CurlewCore
import HTTPTypes

/// Answers the challenges of servers and proxies: Basic, Digest and Bearer.
///
/// It stands inside of what follows redirects, so that it sees each hop by itself, and answers a 401 or a proxy's 407 by
/// sending the request again with credentials: those of a `TokenSource`, of the store, or of the app's `challenge` hook.
/// Where none are found, and where only schemes are offered that it does not know, the response stands as it is. What was
/// right is sent without being asked for within the same protection space: below the same path for Basic and Bearer
/// (RFC 7617 §2.2), under the same `domain` for Digest (RFC 7616 §3.3), and never to another origin, of which `http` and
/// `https` on one host are two.
///
/// ```swift
/// let loader = Loader(.curl(), interceptors: [Authentication()])
/// var settings = ExchangeSettings()
/// settings.hooks.challenge = { challenge in
///   challenge.previousFailureCount == 0 ? .use(.password(user: "wader", password: secret)) : .defaultHandling
/// }
/// let response = try await loader.load(request, in: Exchange(settings))
/// ```
///
/// Of several challenges the strongest comes first: Bearer, Digest by its algorithm, Basic. A request that has an
/// `Authorization` of its own is sent as it is, and its 401 is answered like any other. A body that can be sent only once
/// is asked for again (`ExchangeHooks.newBody`), else the request fails with `bodyNotReplayable`. Where a server offers
/// Digest with integrity, each body is read twice: for its hash and to be sent.
///
/// All users of one instance share what is known. An app that speaks for several users gives each an instance, or sets
/// `ExchangeHooks.mayUseStoredCredentials`. Safe from any isolation.
public final class Authentication: Interceptor {
  /// How challenges are answered.
  public struct Configuration: Sendable {
    /// The most answers to one request on each side, server and proxy, 0….
    ///
    /// Past it the challenge is the response.
    public var answerLimit = 5
    /// The most protection spaces that are remembered, 0….
    ///
    /// Past it the oldest is forgotten; with 0 nothing is sent unasked.
    public var knownSpaceLimit = 1_000
    /// Whether a server's own proof is looked at where Digest has one.
    ///
    /// A wrong `rspauth`, of a server that does not know the password, then ends in `authenticationFailed`.
    public var checksServerProof = true
    /// Whether what the app answered, and was right, is put into the store.
    public var storesAnswers = false
    /// Makes the client's nonce of Digest: at least 16 random bytes, as visible ASCII.
    public var clientNonce: @Sendable () -> String = {
      var generator = SystemRandomNumberGenerator()
      return (0..<4).map { _ in
        let digits = String(generator.next() as UInt32, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
      }.joined()
    }

    /// The defaults.
    public init() {}
  }

  let store: any CredentialStore
  let tokens: [TokenSource]
  let configuration: Configuration
  let known: Guarded<KnownSpaces>

  /// Makes an interceptor.
  ///
  /// - Parameters:
  ///   - store: Looked at before the app is asked.
  ///   - tokens: Who gets bearer tokens; of two for one origin the first counts.
  ///   - configuration: How challenges are answered.
  public init(
    store: any CredentialStore = MemoryCredentialStore(), tokens: [TokenSource] = [],
    configuration: Configuration = Configuration()
  ) {
    self.store = store
    self.tokens = tokens
    self.configuration = configuration
    known = Guarded(KnownSpaces(limit: configuration.knownSpaceLimit))
  }

  /// Sends with what is known, and again with what a challenge asks for.
  ///
  /// - Throws: What the app answers with `.cancel`; `NetworkError` of kind `authenticationFailed` when a credential cannot
  ///   be sent, a token cannot be had or a server does not know the password, `bodyNotReplayable` when the body is needed
  ///   again, and what the rest of the chain throws.
  public nonisolated(nonsending) func intercept(
    _ request: Request, in exchange: Exchange, next: Next
  ) async throws -> Response {
    var first: Response?
    if sendsNothingUnasked(in: exchange) {
      // Only a challenge is more than a look at the status.
      let response = try await next(request, in: exchange)
      guard response.head.status == .unauthorized else { return response }
      first = response
    }
    return try await answered(request, in: exchange, next, beginningWith: first)
  }

  private func sendsNothingUnasked(in exchange: Exchange) -> Bool {
    tokens.isEmpty && !exchange.hasProxy && known.withLock { $0.isEmpty }
  }

  /// Goes on with all that is kept of challenges, which requests that meet none have no memory for.
  @inline(never) private nonisolated(nonsending) func answered(
    _ request: Request, in exchange: Exchange, _ next: Next, beginningWith response: Response?
  ) async throws -> Response {
    guard let origin = try? request.origin else {
      // A URL without an origin is for the transport to refuse; it gets no credential.
      if let response { return response }
      return try await next(request, in: exchange)
    }
    var hop = AuthenticationHop(self, request, exchange, origin)
    return try await hop.carry(next, beginningWith: response)
  }

  /// Forgets which credentials were right, as for signing out.
  ///
  /// The store and the tokens stay.
  public func forgetAll() { known.withLock { $0.removeAll() } }
}
