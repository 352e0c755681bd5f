public import CurlewCore
public import HTTPTypes

/// Follows redirects (RFC 9110 §15.4), with the choices that browsers made.
///
/// 301 and 302 make a GET of a POST and keep every other method; 303 makes a GET of everything but HEAD; 307 and 308 keep
/// method and body. Other 3xx, and one without `Location`, are the response. Credentials stay with the origin they were
/// meant for: what `credentialFields` and the exchange's redaction name is taken off on the way to another one and is not
/// put back, nor is a client certificate shown there.
///
/// `ExchangeHooks.redirect` is asked before each redirect; `RequestOptions.redirectLimit` overrides the limit, and 0 makes
/// the 3xx the response. `ResponseHead.url` is the URL that answered in the end, observers see
/// `ExchangeEvent.Kind.redirecting`, and each hop has its own metrics. A 3xx that is not the response is read to its end
/// where that is near, so that its connection can be used again.
///
/// ```swift
/// let loader = Loader(transport, chain: InterceptorChain(redirect: Redirect()))
/// ```
///
/// It throws `tooManyRedirects` past the limit or in a circle, `invalidRedirect` for a `Location` that cannot be
/// followed, and `bodyNotReplayable` for a body that is needed again and not there.
public struct Redirect: Interceptor {
  /// How many redirects to follow where the request does not say, 0….
  public var limit = 20
  /// Fields that are for one origin alone, whoever set them.
  public var credentialFields = Redirect.standardCredentialFields
  /// Credential fields that go along to other origins, by name; never from https to http. None unless named.
  public var carriedFields: Set<HTTPField.Name> = []
  /// Whether a client certificate is shown to other origins too, where they ask.
  public var carriesClientIdentity = false
  /// Whether a redirect from https to http is followed; if not it ends in `invalidRedirect`.
  public var followsDowngrade = true
  /// Whether a redirect to where the request has been ends in `tooManyRedirects` at once, and not at the limit.
  ///
  /// A response that sets a cookie may rightly send the request back; it makes all that came before forgotten.
  public var detectsLoops = true
  /// What becomes of a `Referer` that the app set, as long as no response says otherwise (`Referrer-Policy`).
  public var refererPolicy = RefererPolicy.strictOriginWhenCrossOrigin
  /// The most bytes of a 3xx that are read to keep its connection; a longer one is cut off.
  public var discardedBytes = 65_536
  /// How long its end is waited for.
  public var discardTime = Duration.seconds(1)

  /// Follows up to 20 redirects and takes no credential along.
  public init() {}

  /// `Authorization`, `Proxy-Authorization` and `Cookie`.
  ///
  /// What `Redaction.standard` hides, as `X-Api-Key`, is stripped too, since an exchange's redaction names credentials.
  public static let standardCredentialFields: Set<HTTPField.Name> = [.authorization, .proxyAuthorization, .cookie]

  /// Sends the request on, and what the server redirects it to, until a response stands.
  public nonisolated(nonsending) func intercept(
    _ request: Request, in exchange: Exchange, next: Next
  ) async throws -> Response {
    let started = request.options.timeouts.total == nil ? nil : exchange.settings.clock.now
    var request = request
    if exchange.settings.hooks.redirect != nil { request = try await canonical(request, in: exchange) }
    let response = try await next(request, in: exchange)
    guard RedirectStatus(response.head.status) != nil else { return response }
    return try await followed(response, to: request, in: exchange, started, next)
  }

  /// What the app makes of the canonical form; to refuse it is to send what was asked for.
  private nonisolated(nonsending) func canonical(_ request: Request, in exchange: Exchange) async throws -> Request {
    guard let hook = exchange.settings.hooks.redirect, let canonical = CanonicalURL.of(request) else { return request }
    return try await hook(canonical, nil) ?? request
  }

  /// Goes where a response leads, with all that is kept of the way, which other requests have no memory for.
  @inline(never) private nonisolated(nonsending) func followed(
    _ response: Response, to request: Request, in exchange: Exchange, _ started: ContinuousClock.Instant?, _ next: Next
  ) async throws -> Response {
    let walk = RedirectWalk(self, limit: request.options.redirectLimit ?? limit, started: started)
    return try await walk.follow(from: request, in: exchange, response, next)
  }
}
