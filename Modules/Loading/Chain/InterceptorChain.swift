public import CurlewCore

/// The interceptors of a loader, each in its place.
///
/// A logical request passes `application` and `redirect` once for each attempt. What follows it passes again for each
/// hop, the requests that answer a redirect or a challenge: they see the request that goes on the wire. A place that is
/// empty costs nothing.
///
/// ```swift
/// var chain = InterceptorChain(redirect: Redirect(), cookies: Cookies(MemoryCookieJar()))
/// chain.perHop.append(SigningInterceptor())
/// let loader = Loader(transport, chain: chain)
/// ```
public struct InterceptorChain: Sendable {
  /// The app's own, outermost first; once for each attempt.
  public var application: [any Interceptor]
  /// Follows redirects (`Redirect`); nil makes a 3xx the response.
  public var redirect: (any Interceptor)?
  /// Keeps cookies; nil neither sends nor stores any.
  ///
  /// They are sent from here, and stored where responses come from the network, behind everything else: a stored
  /// response sets no cookie.
  public var cookies: Cookies?
  /// Answers challenges (CurlewSecurity's `Authentication`); nil makes a 401 the response.
  public var authentication: (any Interceptor)?
  /// Joins equal requests in flight; nil sends each.
  public var coalescing: (any Interceptor)?
  /// Answers from stored responses (`Caching`); nil stores nothing.
  public var caching: (any Interceptor)?
  /// The app's own for each hop, outermost first.
  ///
  /// Once a redirect has led to another origin they can take credentials away, but set none: fields that the redirect
  /// stripped keep the values that they had when the request came here.
  public var perHop: [any Interceptor]

  /// Makes a chain; what is not named is left out.
  ///
  /// - Parameter application: Outermost first.
  public init(
    _ application: [any Interceptor] = [], redirect: (any Interceptor)? = nil, cookies: Cookies? = nil,
    authentication: (any Interceptor)? = nil, coalescing: (any Interceptor)? = nil,
    caching: (any Interceptor)? = nil, perHop: [any Interceptor] = []
  ) {
    self.application = application
    self.redirect = redirect
    self.cookies = cookies
    self.authentication = authentication
    self.coalescing = coalescing
    self.caching = caching
    self.perHop = perHop
  }

  /// All of them, outermost first; cookies are stored behind them, by `Sending`.
  var inOrder: [any Interceptor] {
    let sending = cookies.map { CookieSending(jar: $0.jar) as any Interceptor }
    var all = application + [redirect, sending, authentication, coalescing, caching].compactMap(\.self)
    if perHop.isEmpty || redirect == nil {
      // Where nothing redirects, nothing was stripped.
      all += perHop
    } else {
      all += [StrippedFieldsEntry()] + perHop + [StrippedFieldsExit()]
    }
    return all
  }
}
