public import CurlewCore
import HTTPTypes

/// The interceptors of a loader, each in its place.
///
/// A logical request passes `application`, `decoding` and `redirect` once for each attempt. It passes the other places
/// once for each hop, which includes requests after a redirect or a challenge; they see the request that is sent. An
/// empty place costs nothing.
///
/// ```swift
/// var chain = InterceptorChain(redirect: Redirect(), cookies: Cookies(MemoryCookieJar()))
/// chain.perHop.append(SigningInterceptor())
/// let loader = Loader(transport, chain: chain)
/// ```
public struct InterceptorChain: Sendable {
  /// The app's own interceptors for each attempt, outermost first.
  public var application: [any Interceptor]
  /// Decodes content (CurlewContentCoding's `ContentDecoding`).
  ///
  /// Nil offers no codings and returns content as it was sent.
  ///
  /// A loader skips it if the transport decodes by itself (`TransportCapabilities.rawContent`).
  public var decoding: (any Interceptor)?
  /// Follows redirects (`Redirect`); nil returns a 3xx as the response.
  public var redirect: (any Interceptor)?
  /// Sends requests over TLS to hosts that have asked for it (`HSTS`); nil sends each URL as it is.
  public var hsts: (any Interceptor)?
  /// Keeps cookies; nil neither sends nor stores any.
  ///
  /// Cookies are added to requests at this place. Those of responses are stored behind all other places, where responses
  /// come from the network, so a stored response sets no cookies.
  public var cookies: Cookies?
  /// Chooses the proxy of each hop; nil uses that of the settings for all of them.
  ///
  /// It derives an exchange whose settings have the proxy. The places behind it then know the proxy: its credential answers
  /// its challenges, and a response that came through it is stored as such. A proxy that an interceptor in `perHop` sets is
  /// used too, but its challenges are not answered.
  public var proxy: (any Interceptor)?
  /// Answers challenges (CurlewSecurity's `Authentication`); nil returns a 401.
  public var authentication: (any Interceptor)?
  /// Joins equal requests in flight; nil sends each of them.
  public var coalescing: (any Interceptor)?
  /// Answers requests from stored responses (`Caching`); nil stores nothing.
  public var caching: (any Interceptor)?
  /// Asks the app about servers that the trust evaluator rejects.
  ///
  /// This is CurlewSecurity's `ServerTrustAsking`; nil lets the request fail.
  public var serverTrust: (any Interceptor)?
  /// The app's own interceptors for each hop, outermost first.
  ///
  /// After a redirect to another origin they can remove credentials but not set any: the fields that the redirect
  /// stripped keep the values they had when the request arrived here.
  public var perHop: [any Interceptor]

  /// Creates a chain; places that are not given stay empty.
  ///
  /// - Parameter application: The app's own interceptors, outermost first.
  public init(
    _ application: [any Interceptor] = [], decoding: (any Interceptor)? = nil, redirect: (any Interceptor)? = nil,
    hsts: (any Interceptor)? = nil, cookies: Cookies? = nil, proxy: (any Interceptor)? = nil,
    authentication: (any Interceptor)? = nil,
    coalescing: (any Interceptor)? = nil, caching: (any Interceptor)? = nil, serverTrust: (any Interceptor)? = nil,
    perHop: [any Interceptor] = []
  ) {
    self.application = application
    self.decoding = decoding
    self.redirect = redirect
    self.hsts = hsts
    self.cookies = cookies
    self.proxy = proxy
    self.authentication = authentication
    self.coalescing = coalescing
    self.caching = caching
    self.serverTrust = serverTrust
    self.perHop = perHop
  }

  /// The hooks that its interceptors call; others would never be called.
  public var asks: HookNames {
    let places = [decoding, redirect, hsts, proxy, authentication, coalescing, caching, serverTrust].compactMap(\.self)
    return (application + places + perHop).reduce(into: []) { $0.formUnion($1.asks) }
  }

  /// Returns all interceptors, outermost first.
  ///
  /// The last step, `TransportStep`, stores cookies.
  ///
  /// - Parameter capabilities: The transport's capabilities.
  func inOrder(over capabilities: TransportCapabilities) -> [any Interceptor] {
    let decoding = capabilities.contains(.rawContent) ? decoding : nil
    let sending = cookies.map { CookieSending($0.jar) as any Interceptor }
    let places = [decoding, redirect, hsts, sending, proxy, authentication, coalescing, caching, serverTrust]
    var all = application + places.compactMap(\.self)
    // Redirects strip fields, and so do the pages of a list that lead to another origin.
    if !perHop.isEmpty { all += [StrippedFieldsEntry()] + perHop + [StrippedFieldsExit()] }
    return all
  }
}

/// The fields that a redirect to another origin has stripped.
///
/// Nil while all hops went to one origin.
enum StrippedFields: UserInfoKey {
  typealias Value = Set<HTTPField.Name>
}

/// The stripped fields that the jar or an answered challenge set for this hop.
private enum GrantedFields: UserInfoKey {
  typealias Value = HTTPFields
}

/// Records what the app's per-hop interceptors may leave in the stripped fields.
struct StrippedFieldsEntry: Interceptor {
  func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    guard let names = exchange[StrippedFields.self] else { return try await next(request, in: exchange) }
    let granted = HTTPFields(request.headerFields.filter { names.contains($0.name) })
    return try await next(request, in: exchange.derived { $0.userInfo[GrantedFields.self] = granted })
  }
}

/// Removes what the app's per-hop interceptors put into the stripped fields.
struct StrippedFieldsExit: Interceptor {
  func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    guard let names = exchange[StrippedFields.self] else { return try await next(request, in: exchange) }
    let granted = exchange[GrantedFields.self] ?? [:]
    var narrowed = request
    narrowed.headerFields = HTTPFields(
      request.headerFields.filter { field in
        !names.contains(field.name) || granted[values: field.name].contains(field.value)
      })
    return try await next(narrowed, in: exchange)
  }
}
