public import CurlewCore
import FoundationEssentials

/// Keeps cookies in memory, by RFC 6265 and 6265bis.
///
/// A cookie for a whole public suffix (`co.uk`) would reach hosts of other people and is refused: give it a list of them
/// (`PublicSuffixList`); without one only top-level domains are known. `Secure` cookies are neither sent nor set over http,
/// nor is one put in front of them from there; `__Secure-` and `__Host-` names are held to what they promise.
///
/// `SameSite` is about requests that other sites cause. What the app asks for is its own, like an address typed into a
/// browser; what a redirect of another site leads to is not: `Strict` cookies stay, and others than `None` go with GET,
/// HEAD, OPTIONS and TRACE only, so that no site can make the client post to another in the user's name. Safe from any
/// isolation.
public final class MemoryCookieJar: CookieJar {
  private let store: Guarded<CookieStore>
  private let suffixes: any PublicSuffixes

  /// Makes an empty jar.
  ///
  /// - Parameters:
  ///   - publicSuffixes: Under which names anyone can have a host.
  ///   - limits: How many cookies it keeps.
  public init(publicSuffixes: any PublicSuffixes = .topLevel, limits: CookieLimits = CookieLimits()) {
    store = Guarded(CookieStore(limits))
    suffixes = publicSuffixes
  }

  /// All cookies, oldest first; some may be over.
  public var all: [Cookie] { store.withLock { $0.all } }

  /// Goes up with every change.
  var revision: UInt64 { store.withLock { $0.revision } }

  /// The cookies for a request, in the order in which they are sent.
  public func cookies(for context: CookieContext) -> [Cookie] {
    let isCrossSite = context.isCrossSite(suffixes)
    return store.withLock { $0.cookies(for: context, isCrossSite: isCrossSite) }
  }

  /// Takes the `Set-Cookie` values of one response, in order.
  public func store(_ setCookies: [String], from context: CookieContext) {
    let incoming = setCookies.compactMap { IncomingCookie($0, from: context, suffixes) }
    store.withLock { store in
      for cookie in incoming { store.store(cookie) }
    }
  }

  /// Puts a cookie of the app's own in, in place of one of the same name, domain and path.
  ///
  /// - Parameter date: What counts as now; a cookie that is over takes the other out.
  /// - Returns: False when no server could have set it: it is too large, has control characters or an impossible prefix.
  @discardableResult
  public func put(_ cookie: Cookie, at date: HTTPDate) -> Bool {
    guard cookie.isValid, let domain = try? Origin(scheme: .https, host: cookie.domain).host else { return false }
    var cookie = cookie
    cookie.domain = domain
    store.withLock { [cookie] in $0.put(cookie, at: date) }
    return true
  }

  /// Takes out what a condition accepts of the cookies that are there when it is called.
  public func remove(where accepts: (Cookie) -> Bool) {
    let unwanted = Set(all.filter(accepts))
    store.withLock { store in store.remove { unwanted.contains($0) } }
  }
}
