public import CurlewCore
import FoundationEssentials

/// Keeps cookies between requests.
///
/// The two calls are the two algorithms of RFC 6265: which cookies are sent with a request (§5.4), and how the
/// `Set-Cookie` fields of a response are stored (§5.3). They are called from any isolation, by many tasks at once. Each
/// exchange waits for both, so a jar should keep its cookies in memory.
public protocol CookieJar: Sendable {
  /// Returns the cookies for a request, in the order in which they are sent.
  nonisolated(nonsending) func cookies(for context: CookieContext) async -> [Cookie]

  /// Stores the `Set-Cookie` values of one response, in order.
  func store(_ setCookies: [String], from context: CookieContext) async
}

/// The limits of a cookie jar.
///
/// When a limit is exceeded, expired cookies are removed first, then those that do not require https, then the least
/// recently used ones. Independently, the name and value of a cookie may have 4096 bytes together, and an attribute
/// 1024 (RFC 6265bis §5.6).
public struct CookieLimits: Sendable, Hashable {
  /// The most cookies of one domain.
  public var perDomain: Int
  /// The most cookies in total.
  public var total: Int

  /// Creates limits; by default those of RFC 6265 §6.1.
  public init(perDomain: Int = 50, total: Int = 3000) {
    self.perDomain = perDomain
    self.total = total
  }
}

/// Keeps cookies in memory, by RFC 6265 and 6265bis.
///
/// A cookie for a whole public suffix (`co.uk`) would be sent to hosts of other owners, so it is rejected. The jar
/// knows public suffixes from the system's list, and guesses without one (`SystemPublicSuffixes`). `Secure` cookies are
/// neither sent nor set over http, and a cookie set over http cannot shadow one. The names `__Secure-` and `__Host-`
/// must fulfil their promises.
///
/// `SameSite` concerns requests that another site caused. A request of the app counts as its own, like an address typed
/// into a browser. A request after a redirect by another site does not: it carries no `Strict` cookies, and carries
/// cookies other than `None` only with GET, HEAD, OPTIONS and TRACE, so that no site can make the client post to
/// another site in the user's name. Safe from any isolation.
public final class MemoryCookieJar: CookieJar {
  private let store: Guarded<CookieStore>
  private let suffixes: any PublicSuffixes

  /// Creates an empty jar.
  ///
  /// By default it uses the system's list of public suffixes, which the first cookie for a domain makes the process read; that
  /// blocks for some milliseconds.
  ///
  /// - Parameters:
  ///   - publicSuffixes: Knows the suffixes below which anyone can register a name.
  ///   - limits: How many cookies it keeps.
  public init(publicSuffixes: any PublicSuffixes = .system, limits: CookieLimits = CookieLimits()) {
    store = Guarded(CookieStore(limits))
    suffixes = publicSuffixes
  }

  /// All cookies, oldest first; some may have expired.
  public var all: [Cookie] { store.withLock { $0.all } }

  /// A number that increases with every change.
  var revision: UInt64 { store.withLock { $0.revision } }

  /// Returns the cookies for a request, in the order in which they are sent.
  public func cookies(for context: CookieContext) -> [Cookie] {
    let isCrossSite = context.isCrossSite(suffixes)
    return store.withLock { $0.cookies(for: context, isCrossSite: isCrossSite) }
  }

  /// Stores the `Set-Cookie` values of one response, in order.
  public func store(_ setCookies: [String], from context: CookieContext) {
    let incoming = setCookies.compactMap { IncomingCookie($0, from: context, suffixes) }
    store.withLock { store in
      for cookie in incoming { store.store(cookie) }
    }
  }

  /// Stores the app's own cookie.
  ///
  /// It replaces a cookie with the same name, domain and path.
  ///
  /// - Parameter date: The current time; an expired cookie removes the stored one.
  /// - Returns: False for a cookie that no server could have set: it is too large, has control characters or violates
  ///   its prefix.
  @discardableResult
  public func put(_ cookie: Cookie, at date: HTTPDate) -> Bool {
    guard cookie.isValid, let domain = try? Origin(scheme: .https, host: cookie.domain).host else { return false }
    var cookie = cookie
    cookie.domain = domain
    store.withLock { [cookie] in $0.put(cookie, at: date) }
    return true
  }

  /// Removes the cookies that a condition selects.
  public func remove(where accepts: (Cookie) -> Bool) {
    let unwanted = Set(all.filter(accepts))
    store.withLock { store in store.remove { unwanted.contains($0) } }
  }
}
