public import CurlewCore
import HTTPTypes

/// Answers the challenges of servers and proxies: Basic, Digest and Bearer.
///
/// Place it behind `Redirect` in the chain, so that it sees each hop. It answers a 401, or a proxy's 407, by sending the
/// request again with credentials from a `TokenSource`, the store or the app's `challenge` hook. If none of them has
/// credentials, or the server offers only unknown schemes, the caller receives the 401.
///
/// Credentials that worked are then sent without a challenge to the rest of their protection space: at or below the same path
/// for Basic (RFC 7617 §2.2), within `domain` for Digest (RFC 7616 §3.3). They are never sent to another origin; `http` and
/// `https` on one host are two origins. After a Digest response, a Basic challenge for the same request is not answered,
/// because Basic would send in the clear the password that Digest kept secret.
///
/// ```swift
/// let loader = Loader(try .curl(), interceptors: [Authentication()])
/// let home = try Origin(scheme: .https, host: "api.example.com")
/// var settings = ExchangeSettings()
/// settings.hooks.challenge = { challenge in
///   guard challenge.protectionSpace.origin == home, challenge.previousFailureCount == 0 else { return .defaultHandling }
///   return .use(.password(user: "wader", password: secret))
/// }
/// let response = try await loader.load(request, in: Exchange(settings))
/// ```
///
/// If a response has several challenges, the strongest is answered first: Bearer, then Digest by its algorithm, then Basic. A
/// request with an `Authorization` field is sent unchanged, and its 401 is answered like any other. If a body can be read only
/// once, `ExchangeHooks.newBody` is asked for another; without that hook the request fails with `bodyNotReplayable`. If a
/// server offers Digest with integrity protection, each body is read twice: once to hash it and once to send it.
///
/// All requests through one instance share the credentials of its store and its token sources. What a `challenge` hook gave is for
/// requests with that hook only. An app that acts for several users needs a store for each of them, or sets
/// `ExchangeHooks.mayUseStoredCredentials`. Safe from any isolation.
public final class Authentication: Interceptor {
  /// The limits and choices of an `Authentication`.
  public struct Configuration: Sendable {
    /// The most times that one request is sent again for one side; 0 or more.
    ///
    /// The sides are the server and the proxy. The challenge after the last attempt is returned as the response.
    public var answerLimit = 5
    /// The most protection spaces that are remembered; 0 or more.
    ///
    /// Beyond it the oldest is forgotten. With 0, credentials are sent only after a challenge.
    public var knownSpaceLimit = 1_000
    /// Whether the server's own Digest proof (`rspauth`) is checked.
    ///
    /// A wrong proof means that the server does not know the password; the request fails with `authenticationFailed`.
    public var checksServerProof = true
    /// Whether credentials that the app gave are put into the store once they worked, for everybody who uses the store.
    public var storesAnswers = false
    /// Returns a new client nonce for Digest.
    ///
    /// It must have at least 16 random bytes, written as visible ASCII.
    public var clientNonce: @Sendable () -> String = {
      var generator = SystemRandomNumberGenerator()
      return (0..<4).map { _ in
        let digits = String(generator.next() as UInt32, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
      }.joined()
    }

    /// Creates the default configuration.
    public init() {}
  }

  let store: any CredentialStore
  let tokens: [TokenSource]
  let configuration: Configuration
  let known: Guarded<KnownSpaces>

  /// Creates an interceptor.
  ///
  /// - Parameters:
  ///   - store: The credentials that are tried before the app is asked.
  ///   - tokens: The sources of bearer tokens; if two cover one origin, the first is used.
  ///   - configuration: Limits and choices.
  public init(
    store: any CredentialStore = MemoryCredentialStore(), tokens: [TokenSource] = [],
    configuration: Configuration = Configuration()
  ) {
    self.store = store
    self.tokens = tokens
    self.configuration = configuration
    known = Guarded(KnownSpaces(limit: configuration.knownSpaceLimit))
  }

  /// The hooks that are asked about a challenge, and for a second body.
  public var asks: HookNames { [.canAnswer, .mayUseStoredCredentials, .challenge, .newBody] }

  /// Sends the request with known credentials, and answers challenges.
  ///
  /// - Throws: The error of the app's `.cancel`; `NetworkError` of kind `authenticationFailed` when a credential cannot be
  ///   written in its scheme, no token can be obtained, or the server's proof is wrong; of kind `bodyNotReplayable` when a
  ///   second body is needed and there is none; and the errors of the rest of the chain.
  public nonisolated(nonsending) func intercept(
    _ request: Request, in exchange: Exchange, next: Next
  ) async throws -> Response {
    var first: Response?
    if sendsNothingUnasked(in: exchange) {
      // The fast path: without known credentials, only a 401 needs the state of `AuthenticationHop`.
      let response = try await next(request, in: exchange)
      guard response.head.status == .unauthorized else { return response }
      first = response
    }
    return try await answered(request, in: exchange, next, beginningWith: first)
  }

  private func sendsNothingUnasked(in exchange: Exchange) -> Bool {
    tokens.isEmpty && !exchange.hasProxy && known.withLock { $0.isEmpty }
  }

  /// Continues with the state that requests with credentials or challenges need.
  private nonisolated(nonsending) func answered(
    _ request: Request, in exchange: Exchange, _ next: Next, beginningWith response: Response?
  ) async throws -> Response {
    guard let origin = try? request.origin else {
      // The transport refuses a URL without an origin; no credential is looked up for it.
      if let response { return response }
      return try await next(request, in: exchange)
    }
    var hop = AuthenticationHop(self, request, exchange, origin)
    return try await hop.carry(next, beginningWith: response)
  }

  /// Forgets the credentials that worked, for example when the user signs out.
  ///
  /// The store and the token sources keep their credentials.
  public func forgetAll() { known.withLock { $0.removeAll() } }
}
