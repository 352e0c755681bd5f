public import CurlewCore
package import FoundationEssentials
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

extension Redirect {
  /// Prepares a request for a URL that a server has named in a response, such as the next page of a list.
  ///
  /// To another origin it takes along what a redirect there would: harmless fields, no credential, and no client certificate.
  ///
  /// - Parameters:
  ///   - first: The URL that the app asked for.
  ///   - settings: The settings of the request's exchange, which are changed with it.
  /// - Throws: `NetworkError` of kind `invalidRedirect` for a step from https to http that is not allowed.
  package func confine(
    _ request: inout Request, from first: URL, _ settings: inout ExchangeSettings
  ) throws(NetworkError) {
    guard let old = try? Origin(first), let new = try? request.origin, old != new else { return }
    let stripping = RedirectStripping(self, in: Exchange(settings))
    let stripped = stripping.stripped(of: request, from: old, to: new)
    do throws(RedirectRefusal) {
      try stripping.strip(&request, from: first)
    } catch {
      throw NetworkError(.invalidRedirect, stage: .preparing, message: "The next page leads from https to http.")
    }
    settings.userInfo[StrippedFields.self] = stripped
    if !carriesClientIdentity || old.scheme == .https && new.scheme == .http { settings.clientIdentity = nil }
  }
}

extension Redirect {
  /// Fields that describe the request, the client or the body and carry no secret.
  ///
  /// `Referer` is included because `refererPolicy` decides about it. `Host` and `Origin` are not, because they refer to
  /// the first origin (RFC 9110 §15.4).
  public static let standardHarmlessFields: Set<HTTPField.Name> = Set(
    [
      // The requested representation.
      "accept", "accept-charset", "accept-datetime", "accept-encoding", "accept-language", "accept-ranges", "a-im",
      "cache-control", "pragma", "prefer", "range", "te", "depth",
      // Conditions.
      "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since",
      // The body.
      "content-digest", "content-disposition", "content-encoding", "content-language", "content-length",
      "content-location", "content-md5", "content-range", "content-type", "digest", "expect", "last-modified",
      "repr-digest", "trailer", "transfer-encoding", "want-content-digest", "want-digest", "want-repr-digest",
      // The connection and the message.
      "connection", "date", "keep-alive", "max-forwards", "mime-version", "upgrade-insecure-requests", "via",
      // The client and its user's preferences, as browsers send them to every site.
      "dnt", "downlink", "ect", "priority", "purpose", "referer", "rtt", "save-data", "sec-gpc", "sec-purpose",
      "user-agent",
      // A random name of the request, which a repeated request must carry, too, and where a stream of events goes on.
      "idempotency-key", "last-event-id",
    ].compactMap { HTTPField.Name($0) })
}

/// Why a redirect is not followed.
enum RedirectRefusal: Error {
  case limit(Int)
  /// The URLs of the circle, in order; the last is the first one.
  case circle([URL])
  case body
  case severalLocations
  case location(URLReferenceError)
  case downgrade

  /// Returns the error for the app.
  ///
  /// The server has answered the redirected request, so it may have acted on it.
  func error(_ request: Request, _ head: ResponseHead) -> NetworkError {
    let (kind, message): (NetworkError.Kind, String) =
      switch self {
      case .limit(let limit): (.tooManyRedirects, "The server redirects more than \(limit) times.")
      case .circle(let urls):
        (.tooManyRedirects, "The server redirects in a circle: \(Self.names(of: urls)).")
      case .body:
        (
          .bodyNotReplayable,
          "A redirect needs the body again, which can be sent once."
        )
      case .severalLocations: (.invalidRedirect, "The redirect names several places.")
      case .location(let error): (.invalidRedirect, "The redirect's Location \(error.reason).")
      case .downgrade: (.invalidRedirect, "The redirect leads from https to http.")
      }
    var advice: String?
    if case .location(let error) = self { advice = error.advice }
    if kind == .tooManyRedirects { advice = "The server is set up wrongly, or wants a cookie that the request lacks." }
    if case .body = self { advice = "Make it replayable or set the newBody hook." }
    return NetworkError(kind, stage: .awaitingHead, message: message, advice: advice).with { details in
      details.request = request
      details.response = head
      details.maybeProcessed = true
    }
  }

  /// Returns the URLs as descriptions show them; a long circle is shortened.
  private static func names(of urls: [URL]) -> String {
    let names = urls.map { Redaction.name(of: $0) }
    return (names.count <= 6 ? names : names.prefix(4) + ["…"] + names.suffix(1)).joined(separator: " → ")
  }
}

/// Normalizes URLs as they are sent.
///
/// The host is canonical, the scheme's default port and dot segments are removed, and the path is not empty.
enum CanonicalURL {
  /// Returns the request with its URL normalized.
  ///
  /// Nil when it already is, or cannot be.
  static func of(_ request: Request) -> Request? {
    let text = request.url.absoluteString
    guard let reference = try? URLReference(text), let url = try? reference.resolved(against: reference),
      url.absoluteString != text
    else { return nil }
    var canonical = request
    canonical.url = url
    return canonical
  }
}
