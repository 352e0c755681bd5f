public import CurlewCore
public import HTTPTypes

/// Follows redirects (RFC 9110 §15.4) as browsers do.
///
/// 301 and 302 change POST to GET and keep every other method; 303 changes every method except HEAD to GET; 307 and 308
/// keep the method and the body. Other 3xx responses, and those without `Location`, are returned.
///
/// Only the fields in `harmlessFields` and `carriedFields` follow a redirect to another origin, where the scheme, host
/// or port differs. Every other field of the request is removed for good, and no client certificate is presented, so an
/// unknown field with a token is not leaked either.
///
/// `ExchangeHooks.redirect` is called before each redirect. `RequestOptions.redirectLimit` overrides the limit; 0
/// returns the 3xx. `ResponseHead.url` is the final URL, observers receive `ExchangeEvent.Kind.redirecting`, and each
/// hop has its own metrics. The body of a followed 3xx is read to its end if that is near, so that the connection can
/// be reused.
///
/// ```swift
/// let loader = Loader(transport, chain: InterceptorChain(redirect: Redirect()))
/// ```
///
/// It throws `tooManyRedirects` beyond the limit or in a loop, `invalidRedirect` for an invalid `Location`, and
/// `bodyNotReplayable` when the body is needed again and cannot be sent twice.
public struct Redirect: Interceptor {
  /// How many redirects to follow, 0 or more, unless the request sets a limit.
  public var limit = 20
  /// Fields that follow redirects to every origin, unless they are credentials.
  public var harmlessFields = Redirect.standardHarmlessFields
  /// Fields that never follow to another origin unless `carriedFields` has them.
  ///
  /// This also applies if they are harmless or an interceptor sets them for each hop.
  public var credentialFields = Redirect.standardCredentialFields
  /// Further fields that follow to other origins; none by default.
  ///
  /// They never follow from https to http.
  public var carriedFields: Set<HTTPField.Name> = []
  /// Whether other origins may also get a client certificate.
  public var carriesClientIdentity = false
  /// Whether to follow from https to http; otherwise `invalidRedirect` is thrown.
  public var followsDowngrade = true
  /// Whether a redirect to a URL that was already requested fails at once, instead of after `redirectLimit` redirects.
  ///
  /// Redirecting back is no loop after a response has set a cookie, since the request is then another one: such a response clears
  /// the list of earlier URLs.
  public var detectsLoops = true
  /// How an app's `Referer` is changed, unless a `Referrer-Policy` says otherwise.
  public var refererPolicy = RefererPolicy.strictOriginWhenCrossOrigin
  /// The most bytes of a 3xx that are read to keep its connection.
  ///
  /// A longer body is cancelled.
  public var discardedBytes = 65_536
  /// How long to wait for the end of that body.
  public var discardTime = Duration.seconds(1)

  /// Follows up to 20 redirects, with only harmless fields to other origins.
  public init() {}

  /// `Authorization`, `Proxy-Authorization` and `Cookie`.
  ///
  /// Fields that `Redaction.standard` hides, such as `X-Api-Key`, are removed too, because the exchange's redaction
  /// defines credentials.
  public static let standardCredentialFields: Set<HTTPField.Name> = [.authorization, .proxyAuthorization, .cookie]

  /// The hooks that are asked about redirects, and for a body to send again.
  public var asks: HookNames { [.redirect, .newBody] }

  /// Sends the request and follows redirects until there is a final response.
  public nonisolated(nonsending) func intercept(
    _ request: Request, in exchange: Exchange, next: Next
  ) async throws -> Response {
    guard exchange.settings.hooks.redirect == nil, request.options.timeouts.total == nil else {
      return try await prepared(request, in: exchange, next)
    }
    let response = try await next(request, in: exchange)
    guard RedirectStatus(response.head.status) != nil else { return response }
    return try await followed(response, to: request, in: exchange, next)
  }

  /// Sends a request that the app may change, or whose time is limited over all hops.
  private nonisolated(nonsending) func prepared(
    _ request: Request, in exchange: Exchange, _ next: Next
  ) async throws -> Response {
    let started = request.options.timeouts.total == nil ? nil : exchange.settings.clock.now
    let request = try await canonical(request, in: exchange)
    let response = try await next(request, in: exchange)
    guard RedirectStatus(response.head.status) != nil else { return response }
    let walk = RedirectWalk(self, limit: request.options.redirectLimit ?? limit, started: started)
    return try await walk.follow(from: request, in: exchange, response, next)
  }

  /// Returns the request with a canonical URL, as approved by the app.
  ///
  /// If the app rejects it, the original request is sent.
  private nonisolated(nonsending) func canonical(_ request: Request, in exchange: Exchange) async throws -> Request {
    guard let hook = exchange.settings.hooks.redirect, let canonical = CanonicalURL.of(request) else { return request }
    return try await hook(canonical, nil) ?? request
  }

  /// Follows a redirect; allocates the state that other requests do not need.
  private nonisolated(nonsending) func followed(
    _ response: Response, to request: Request, in exchange: Exchange, _ next: Next
  ) async throws -> Response {
    let walk = RedirectWalk(self, limit: request.options.redirectLimit ?? limit, started: nil)
    return try await walk.follow(from: request, in: exchange, response, next)
  }
}
