public import CurlewCore
import HTTPTypes

/// Answers the challenges of servers and proxies: Basic, Digest and Bearer.
///
/// Its place in the chain is behind `Redirect`, so that it sees each hop. It answers a 401, or a proxy's 407, by sending the
/// request again with credentials from a `TokenSource`, the store or the app's `challenge` hook. When there are none, or when
/// the server offers only unknown schemes, the 401 is the response.
///
/// Credentials that worked are sent without a challenge to the rest of their protection space: below the same path for Basic
/// and Bearer (RFC 7617 §2.2), under the same `domain` for Digest (RFC 7616 §3.3). They are never sent to another origin;
/// `http` and `https` on one host are two origins. Once a password was sent by Digest, a Basic challenge that follows is not
/// answered, because Basic would send it in the clear.
///
/// ```swift
/// let loader = Loader(try .curl(), interceptors: [Authentication()])
/// var settings = ExchangeSettings()
/// settings.hooks.challenge = { challenge in
///   challenge.previousFailureCount == 0 ? .use(.password(user: "wader", password: secret)) : .defaultHandling
/// }
/// let response = try await loader.load(request, in: Exchange(settings))
/// ```
///
/// Of several challenges the strongest is answered first: Bearer, then Digest by its algorithm, then Basic. A request with an
/// `Authorization` field is sent unchanged, and its 401 is answered like any other. For a body that can be sent only once,
/// `ExchangeHooks.newBody` is asked for another; without one the request fails with `bodyNotReplayable`. Where a server offers
/// Digest with integrity protection, each body is read twice: once for its hash and once to be sent.
///
/// All requests through one instance share its credentials. An app that acts for several users needs an instance for each, or
/// sets `ExchangeHooks.mayUseStoredCredentials`. Safe from any isolation.
public final class Authentication: Interceptor {
  /// The limits and choices of an `Authentication`.
  public struct Configuration: Sendable {
    /// The number of times a request is sent again for one side, server or proxy; 0 or more.
    ///
    /// After that the challenge is the response.
    public var answerLimit = 5
    /// The number of protection spaces that are remembered; 0 or more.
    ///
    /// Beyond it the oldest is forgotten. With 0, credentials are sent only after a challenge.
    public var knownSpaceLimit = 1_000
    /// Whether the server's own Digest proof (`rspauth`) is checked.
    ///
    /// A wrong proof means that the server does not know the password; the request fails with `authenticationFailed`.
    public var checksServerProof = true
    /// Whether the app's answers are put into the store once they worked.
    public var storesAnswers = false
    /// Returns a new client nonce for Digest: at least 16 random bytes as visible ASCII.
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
  ///   - tokens: The sources of bearer tokens; of two for one origin the first is used.
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

  /// Asks about each challenge, and for a body that is needed again.
  public var asks: HookNames { [.canAnswer, .mayUseStoredCredentials, .challenge, .newBody] }

  /// Sends the request with known credentials, and again when a challenge can be answered.
  ///
  /// - Throws: The error of the app's `.cancel`; `NetworkError` of kind `authenticationFailed` when a credential cannot be
  ///   written in its scheme, no token can be had, or the server's proof is wrong; of kind `bodyNotReplayable` when there is
  ///   no second body; and whatever the rest of the chain throws.
  public nonisolated(nonsending) func intercept(
    _ request: Request, in exchange: Exchange, next: Next
  ) async throws -> Response {
    var first: Response?
    if sendsNothingUnasked(in: exchange) {
      // The fast path: without known credentials nothing but a 401 needs the state of `AuthenticationHop`.
      let response = try await next(request, in: exchange)
      guard response.head.status == .unauthorized else { return response }
      first = response
    }
    return try await answered(request, in: exchange, next, beginningWith: first)
  }

  private func sendsNothingUnasked(in exchange: Exchange) -> Bool {
    tokens.isEmpty && !exchange.hasProxy && known.withLock { $0.isEmpty }
  }

  /// Continues with the state that only requests with credentials or challenges need.
  @inline(never) private nonisolated(nonsending) func answered(
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
  /// The store and the token sources keep theirs.
  public func forgetAll() { known.withLock { $0.removeAll() } }
}
